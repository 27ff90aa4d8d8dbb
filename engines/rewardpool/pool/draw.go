package pool

import (
	"fmt"

	"assay/rewardpool/core"
)

// Draw draws one item and returns its index when the mode's promise holds.
// Errors: ErrEmpty, ErrClosed, ErrReadOnly, ErrPoisoned. It allocates nothing
// with None, Mmap, File and Relaxed.
func (p *Pool) Draw() (item uint32, err error) {
	p.mu.Lock()
	if p.refuse != nil {
		return 0, p.unlock(p.refuse)
	}
	if p.log == nil {
		item, ok := p.state.Draw()
		p.mu.Unlock()
		if !ok {
			return 0, ErrEmpty
		}
		return item, nil
	}
	if err := p.log.Reserve(0); err != nil {
		return 0, p.unlock(p.poison(err))
	}
	item, ok := p.state.Draw()
	if !ok {
		return 0, p.unlockEmpty()
	}
	p.log.Lone(item)
	if p.mode == Mmap {
		p.mu.Unlock()
		return item, nil
	}
	if err := p.settle(); err != nil {
		return 0, err
	}
	return item, nil
}

// DrawN fills dst with draws in one atomic frame: after a crash all of them
// happened or none. At the end of the stock n < len(dst) and err is ErrEmpty,
// and the n draws count. After any other error n is 0 and dst is zeroed. It
// needs 1 to MaxDraws draws that fit into a segment.
func (p *Pool) DrawN(dst []uint32) (n int, err error) {
	p.mu.Lock()
	n, err = p.drawN(dst)
	if n == 0 && err == ErrEmpty {
		return 0, p.unlockEmpty()
	}
	if n == 0 {
		return 0, p.unlock(err)
	}
	if serr := p.settle(); serr != nil {
		clear(dst)
		return 0, serr
	}
	return n, err
}

// drawN executes and stages draws; it needs mu.
func (p *Pool) drawN(dst []uint32) (n int, err error) {
	if p.refuse != nil {
		return 0, p.refuse
	}
	if len(dst) < 1 || len(dst) > MaxDraws {
		return 0, invalid("n", fmt.Sprintf("%d, expected 1 to %d", len(dst), MaxDraws))
	}
	if p.log == nil {
		n = p.state.DrawN(dst)
	} else if n, err = p.logDraws(dst); err != nil {
		return 0, err
	}
	if n < len(dst) {
		err = ErrEmpty
	}
	return n, err
}

func (p *Pool) logDraws(dst []uint32) (int, error) {
	payload := p.width * len(dst)
	if !p.log.Fits(payload) {
		return 0, invalid("n", fmt.Sprintf("%d draws do not fit in a segment of %d bytes", len(dst), p.cfg.SegmentBytes))
	}
	if err := p.log.Reserve(payload); err != nil {
		return 0, p.poison(err)
	}
	n := p.state.DrawN(dst)
	switch n {
	case 0:
	case 1:
		p.log.Lone(dst[0])
	default:
		putColumn(p.log.Payload(p.width*n), dst[:n], p.width)
		p.log.Append(typeDraws, byte(p.width), uint32(n), p.width*n)
	}
	return n, nil
}

// DrawID draws one item for a request. The same id always gets the same item:
// replayed says that it was drawn before. core.ErrRequestTooOld means that the
// id may have been forgotten, ErrRequestAhead that its time is not yet. Other errors as Draw; after ErrPoisoned, repeat
// the request on the pool opened again.
func (p *Pool) DrawID(id core.RequestID) (item uint32, replayed bool, err error) {
	p.mu.Lock()
	if p.refuse != nil {
		return 0, false, p.unlock(p.refuse)
	}
	item, found, err := p.state.LookupRequest(id)
	if err != nil {
		return 0, false, p.unlock(err)
	}
	if found {
		if err := p.unlockDurable(); err != nil {
			return 0, false, err
		}
		return item, true, nil
	}
	if p.ahead(id) {
		return 0, false, p.unlock(ErrRequestAhead)
	}
	if p.log != nil {
		if err := p.log.Reserve(requestBytes); err != nil {
			return 0, false, p.unlock(p.poison(err))
		}
	}
	item, ok := p.state.Draw()
	if !ok {
		return 0, false, p.unlockEmpty()
	}
	p.state.RememberRequest(id, item)
	if p.log != nil {
		putRequest(p.log.Payload(requestBytes), id, item)
		p.log.Append(typeRequest, 0, 1, requestBytes)
	}
	if err := p.settle(); err != nil {
		return 0, false, err
	}
	return item, false, nil
}

// ahead tells whether a new request id lies too far ahead of the clock, which is
// read once in RequestLead at most while requests come in time. It needs mu.
func (p *Pool) ahead(id core.RequestID) bool {
	if id.Milliseconds() <= p.horizon {
		return false
	}
	p.horizon = p.cfg.now().Add(RequestLead).UnixMilli()
	return id.Milliseconds() > p.horizon
}

// unlockEmpty releases mu and returns ErrEmpty when the draws that emptied the
// pool are as durable as the mode promises: a crash must not refill it.
func (p *Pool) unlockEmpty() error {
	if err := p.unlockDurable(); err != nil {
		return err
	}
	return ErrEmpty
}

// unlock releases mu and returns err.
func (p *Pool) unlock(err error) error {
	p.mu.Unlock()
	return err
}
