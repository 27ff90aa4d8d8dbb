//! `Accept`: which of the types on offer the client likes best.

use super::list::{elements, split};
use axum::http::{HeaderMap, header};

/// The index of the best of `offers` (media types without parameters, best first), or none if the
/// client takes none of them. A request without the header takes the first.
pub fn negotiate(headers: &HeaderMap, offers: &[&str]) -> Option<usize> {
    let ranges: Vec<Range> = elements(headers, header::ACCEPT).map(range).collect();
    if ranges.is_empty() {
        return Some(0);
    }
    let quality = |offer: &str| {
        let best = ranges
            .iter()
            .filter(|range| range.takes(offer))
            .max_by_key(|range| range.precision());
        best.map_or(0, |range| range.quality)
    };
    // The first of equals: max_by_key takes the last, so from the end.
    let best = (0..offers.len())
        .rev()
        .max_by_key(|i| quality(offers[*i]))?;
    (quality(offers[best]) > 0).then_some(best)
}

struct Range<'a> {
    name: &'a str,
    /// In thousandths.
    quality: u32,
}

impl Range<'_> {
    fn takes(&self, offer: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some("*/") => true,
            Some(start) => offer
                .get(..start.len())
                .is_some_and(|o| o.eq_ignore_ascii_case(start)),
            None => self.name.eq_ignore_ascii_case(offer),
        }
    }

    fn precision(&self) -> u32 {
        match self.name.strip_suffix('*') {
            Some("*/") => 0,
            Some(_) => 1,
            None => 2,
        }
    }
}

fn range(element: &str) -> Range<'_> {
    let mut parts = split(element, ';');
    let name = parts.next().unwrap_or_default();
    let quality = parts
        .filter_map(|part| part.split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("q"))
        .map_or(1000, |(_, value)| {
            value
                .trim()
                .parse::<f32>()
                .map_or(0, |q| (q.clamp(0.0, 1.0) * 1000.0) as u32)
        });
    Range { name, quality }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_offer_wins() {
        let offers = ["text/turtle", "application/ld+json", "text/html"];
        for (accept, best) in [
            (None, Some(0)),
            (Some("*/*"), Some(0)),
            (Some("text/*;q=0.5, application/ld+json"), Some(1)),
            (Some("text/turtle;q=0, */*;q=0.1"), Some(1)),
            (Some("text/html,application/xhtml+xml,*/*;q=0.8"), Some(2)),
            (Some("Text/Turtle"), Some(0)),
            (Some("application/n-quads"), None),
            (Some("text/turtle;q=0"), None),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(accept) = accept {
                headers.insert(header::ACCEPT, accept.parse().unwrap());
            }
            assert_eq!(negotiate(&headers, &offers), best, "{accept:?}");
        }
    }
}
