//! Effective boolean values (SPARQL 1.1, section 17.2.2).

use oxrdf::{Literal, Term, vocab::xsd};
use spargebra::algebra::{Expression, Function, GraphPattern};

use crate::functions::{self, call};

/// Has the value of a filter's condition computed as SPARQL says.
pub(crate) fn in_pattern(pattern: &mut GraphPattern) {
    match pattern {
        GraphPattern::Filter { expr, .. } => condition(expr),
        GraphPattern::LeftJoin { expression, .. } => expression.iter_mut().for_each(condition),
        _ => {}
    }
}

/// The same for what `!`, `&&`, `||` and `IF` ask.
pub(crate) fn in_expression(expression: &mut Expression) {
    match expression {
        Expression::Or(a, b) | Expression::And(a, b) => {
            condition(a);
            condition(b);
        }
        Expression::Not(a) | Expression::If(a, _, _) => condition(a),
        _ => {}
    }
}

fn condition(expression: &mut Expression) {
    if let Expression::Literal(literal) = expression {
        if let Some(truth) = truth(literal) {
            *literal = Literal::from(truth);
        }
    } else if !is_boolean(expression) {
        let asked = std::mem::replace(expression, Expression::Bound(functions::no_variable()));
        *expression = call(functions::BOOLEAN, vec![asked]);
    }
}

/// Whether an expression has a boolean value or none.
fn is_boolean(expression: &Expression) -> bool {
    match expression {
        Expression::Or(..)
        | Expression::And(..)
        | Expression::Equal(..)
        | Expression::SameTerm(..)
        | Expression::Greater(..)
        | Expression::GreaterOrEqual(..)
        | Expression::Less(..)
        | Expression::LessOrEqual(..)
        | Expression::Not(_)
        | Expression::In(..)
        | Expression::Bound(_)
        | Expression::Exists(_) => true,
        Expression::FunctionCall(function, _) => match function {
            Function::LangMatches
            | Function::Contains
            | Function::StrStarts
            | Function::StrEnds
            | Function::IsIri
            | Function::IsBlank
            | Function::IsLiteral
            | Function::IsNumeric => true,
            Function::Custom(name) => {
                [functions::BOOLEAN, functions::MATCHES].contains(&name.as_str())
            }
            _ => false,
        },
        _ => false,
    }
}

/// The effective boolean value of a term, if it has one.
pub(crate) fn value(terms: &[Term]) -> Option<Term> {
    match terms {
        [Term::Literal(literal)] => truth(literal).map(|truth| Literal::from(truth).into()),
        _ => None,
    }
}

fn truth(literal: &Literal) -> Option<bool> {
    let text = literal.value();
    Some(match literal.datatype() {
        _ if literal.language().is_some() => !text.is_empty(),
        xsd::STRING => !text.is_empty(),
        xsd::BOOLEAN => matches!(text, "true" | "1"),
        xsd::DECIMAL => is_decimal(text) && has_digit(text),
        // What is too small for a double is its zero.
        xsd::DOUBLE => is_double(text) && text.parse().is_ok_and(|n: f64| n != 0. && !n.is_nan()),
        xsd::FLOAT => is_double(text) && text.parse().is_ok_and(|n: f32| n != 0. && !n.is_nan()),
        datatype => {
            let (least, most) = range(datatype.as_str())?;
            is_integer(text) && has_digit(text) && is_within(text, least, most)
        }
    })
}

/// Whether the type of a literal has no such whole number.
pub(crate) fn is_out_of_range(literal: &Literal) -> bool {
    let datatype = literal.datatype();
    datatype != xsd::STRING
        && range(datatype.as_str()).is_some_and(|(least, most)| {
            let text = literal.value();
            is_integer(text) && !is_within(text, least, most)
        })
}

/// Bounds of a type of whole numbers; none for other types.
fn range(datatype: &str) -> Option<(Option<i128>, Option<i128>)> {
    let name = datatype.strip_prefix("http://www.w3.org/2001/XMLSchema#")?;
    Some(match name {
        "integer" => (None, None),
        "nonPositiveInteger" => (None, Some(0)),
        "negativeInteger" => (None, Some(-1)),
        "nonNegativeInteger" => (Some(0), None),
        "positiveInteger" => (Some(1), None),
        "long" => (Some(i64::MIN.into()), Some(i64::MAX.into())),
        "int" => (Some(i32::MIN.into()), Some(i32::MAX.into())),
        "short" => (Some(i16::MIN.into()), Some(i16::MAX.into())),
        "byte" => (Some(i8::MIN.into()), Some(i8::MAX.into())),
        "unsignedLong" => (Some(0), Some(u64::MAX.into())),
        "unsignedInt" => (Some(0), Some(u32::MAX.into())),
        "unsignedShort" => (Some(0), Some(u16::MAX.into())),
        "unsignedByte" => (Some(0), Some(u8::MAX.into())),
        _ => return None,
    })
}

fn is_within(text: &str, least: Option<i128>, most: Option<i128>) -> bool {
    match text.parse::<i128>() {
        Ok(number) => {
            least.is_none_or(|least| least <= number) && most.is_none_or(|most| number <= most)
        }
        // Beyond any bound.
        Err(_) if text.starts_with('-') => least.is_none(),
        Err(_) => most.is_none(),
    }
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

fn is_integer(text: &str) -> bool {
    let digits = unsigned(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_decimal(text: &str) -> bool {
    let text = unsigned(text);
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    !(whole.is_empty() && part.is_empty())
        && [whole, part]
            .iter()
            .all(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_double(text: &str) -> bool {
    if ["INF", "+INF", "-INF"].contains(&text) {
        return true;
    }
    match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => is_decimal(mantissa) && is_integer(exponent),
        None => is_decimal(text),
    }
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'1'..=b'9'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxrdf::NamedNode;

    #[test]
    fn literals_have_the_values_of_sparql() {
        // Type, texts that are true, texts that are false.
        for (name, yes, no) in [
            ("string", "a 0 false", ""),
            ("boolean", "true 1", "false 0 yes TRUE"),
            (
                "integer",
                "1 -1 +7 007 99999999999999999999999999999999999999999",
                "0 -0 00 a 1.0 - + 1e0",
            ),
            ("decimal", "1 .5 5. -0.1", "0 0.0 .0 . a 1e0"),
            (
                "double",
                "1 .5e1 INF -INF 1E-300",
                "0 0e5 -0.0 NaN a e5 1e 1e-999 inf infinity nan",
            ),
            ("float", "1 INF", "0 NaN 1e-60"),
            ("byte", "127 -128 1", "128 -129 0 300"),
            ("short", "32767", "32768"),
            ("int", "2147483647", "2147483648"),
            ("long", "9223372036854775807", "9223372036854775808"),
            ("unsignedByte", "255", "256 -1"),
            ("unsignedShort", "65535", "65536 -1"),
            ("unsignedInt", "4294967295", "4294967296 -1"),
            (
                "unsignedLong",
                "18446744073709551615",
                "18446744073709551616 -1",
            ),
            (
                "positiveInteger",
                "1 99999999999999999999999999999999999999999",
                "0 -1",
            ),
            (
                "negativeInteger",
                "-1 -99999999999999999999999999999999999999999",
                "0 1",
            ),
            ("nonNegativeInteger", "1", "0 -1"),
            ("nonPositiveInteger", "-1", "0 1"),
        ] {
            let datatype =
                NamedNode::new_unchecked(format!("http://www.w3.org/2001/XMLSchema#{name}"));
            for (texts, truth) in [(yes, true), (no, false)] {
                for text in texts.split(' ') {
                    let literal = Literal::new_typed_literal(text, datatype.clone());
                    let expected = Some(Literal::from(truth).into());
                    assert_eq!(value(&[literal.clone().into()]), expected, "{literal}");
                }
            }
        }
        let tagged = |text| Literal::new_language_tagged_literal_unchecked(text, "en").into();
        assert_eq!(value(&[tagged("a")]), Some(Literal::from(true).into()));
        assert_eq!(value(&[tagged("")]), Some(Literal::from(false).into()));
        let date = Literal::new_typed_literal("2020-01-01", xsd::DATE).into();
        assert_eq!(value(&[date]), None);
        assert_eq!(value(&[NamedNode::new_unchecked("x:a").into()]), None);
    }
}
