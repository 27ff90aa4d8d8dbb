package pool

import "assay/rewardpool/core"

// Items returns the items with their remaining stock. Group and Each show
// durable draws only: the call waits for those under way.
func (p *Pool) Items() ([]core.Item, error) {
	p.mu.Lock()
	if p.dead != nil {
		return nil, p.unlock(p.dead)
	}
	items := p.state.Items()
	if err := p.unlockDurable(); err != nil {
		return nil, err
	}
	return items, nil
}

// ItemID returns the id of an item index, retired or not.
func (p *Pool) ItemID(item uint32) (id string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if int64(item) >= int64(p.state.Len()) {
		return "", core.ErrUnknownItem
	}
	return p.state.ID(item), nil
}

// StateHash returns the SHA-256 of the whole state, as Items in what it shows.
func (p *Pool) StateHash() ([32]byte, error) {
	p.mu.Lock()
	if p.dead != nil {
		return [32]byte{}, p.unlock(p.dead)
	}
	hash := p.state.Hash()
	if err := p.unlockDurable(); err != nil {
		return [32]byte{}, err
	}
	return hash, nil
}

// Stats are counters of an open pool.
type Stats struct {
	Durability  Durability
	LSN         uint64 // events so far, those of the history included
	DurableLSN  uint64 // events that survive a power loss
	Draws       uint64 // successful draws in the pool's life
	Syncs       uint64 // fdatasync calls on the log by this process
	WALBytes    uint64 // bytes of frames written by this process
	WALFileSize uint64 // bytes used in the log's files, from the segment that Open continued
}

// Stats may be called at any time, after Close and poison too. It does not
// wait, so draws that are not durable yet are counted in LSN and Draws only
// with None, Mmap, File and Relaxed.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{Durability: p.mode, LSN: p.lsn(), Draws: p.state.Draws(), DurableLSN: p.savedLSN}
	if p.log != nil {
		s.DurableLSN, s.Syncs = p.log.DurableLSN(), p.log.Syncs()
		s.WALBytes, s.WALFileSize = p.log.Bytes(), p.log.Size()
	}
	return s
}
