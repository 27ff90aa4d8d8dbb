package core

import (
	"math"
	"slices"
)

// chiSquareP is the p-value of a chi-square statistic: the upper regularized
// incomplete gamma function Q(df/2, x/2), DLMF 8.11.4 (series) and 8.9.2
// (continued fraction, by Lentz's method).
func chiSquareP(x float64, df int) float64 {
	a, x := float64(df)/2, x/2
	if x <= 0 {
		return 1
	}
	logGamma, _ := math.Lgamma(a)
	front := math.Exp(a*math.Log(x) - x - logGamma)
	if x < a+1 {
		sum, term := 1/a, 1/a
		for n := 1.0; term > sum*1e-16; n++ {
			term *= x / (a + n)
			sum += term
		}
		return 1 - front*sum
	}
	b := x + 1 - a
	c, d := math.Inf(1), 1/b
	h := d
	for n := 1.0; n < 10_000; n++ {
		an := -n * (n - a)
		b += 2
		d = 1 / (an*d + b)
		c = b + an/c
		h *= d * c
		if math.Abs(d*c-1) < 1e-15 {
			break
		}
	}
	return front * h
}

// goodnessOfFit is the p-value of counts against probabilities. Cells expected
// to hold less than 5 are pooled; a count in a cell of probability 0 gives 0.
func goodnessOfFit(counts []int, probability []float64) float64 {
	total := 0
	for _, c := range counts {
		total += c
	}
	var x, restExpected, restCount float64
	cells := 0
	for i, c := range counts {
		expected := probability[i] * float64(total)
		switch {
		case expected == 0 && c > 0:
			return 0
		case expected < 5:
			restExpected += expected
			restCount += float64(c)
		default:
			x += (float64(c) - expected) * (float64(c) - expected) / expected
			cells++
		}
	}
	if restExpected >= 5 {
		x += (restCount - restExpected) * (restCount - restExpected) / restExpected
		cells++
	}
	if cells < 2 {
		return 1
	}
	return chiSquareP(x, cells-1)
}

// uniformP is the p-value of the Kolmogorov-Smirnov test that ps are uniform on
// [0, 1], by the asymptotic law with Stephens' correction.
func uniformP(ps []float64) float64 {
	ps = slices.Clone(ps)
	slices.Sort(ps)
	n := float64(len(ps))
	var d float64
	for i, p := range ps {
		d = max(d, p-float64(i)/n, float64(i+1)/n-p)
	}
	t := d * (math.Sqrt(n) + 0.12 + 0.11/math.Sqrt(n))
	var q float64
	for k := 1.0; k <= 100; k++ {
		q += 2 * math.Pow(-1, k-1) * math.Exp(-2*k*k*t*t)
	}
	return min(1, max(0, q))
}
