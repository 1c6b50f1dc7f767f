//! Large pages of the lab: a given number of elements, in the mix of an ordinary page.

use crate::demo::visitors::visit::Visit;
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use std::fmt::Write;

const MOST_NODES: usize = 100_000;
/// Number of elements besides the blocks: html, head, meta, title, body, main, h1.
const FRAME: usize = 7;
/// Number of elements of one block.
const BLOCK: usize = 10;

#[derive(Deserialize)]
pub struct Nodes {
    n: Option<usize>,
}

/// `GET /demo/lab/nodes?n=1000`: a page with exactly `n` elements, but at least `FRAME`.
pub async fn nodes(visit: Visit, query: web::Query<Nodes>) -> HttpResponse {
    let n = query.n.unwrap_or(1000).min(MOST_NODES);
    let title = visit.text("lab.nodes_title").replace("{n}", &n.to_string());
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(html(visit.lang.code(), &title, n))
}

fn html(lang: &str, title: &str, n: usize) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"{lang}\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\
         <body><main><h1>{title}</h1>"
    );
    let rest = n.saturating_sub(FRAME);
    for block in 0..rest / BLOCK {
        // Writing to a String cannot fail.
        let _ = writeln!(
            page,
            "<section><h2>Part {block}</h2><p>Some text of part {block}, with <b>one word</b> in bold.</p>\
             <ul><li><a href=\"#p{block}\">Link {block}</a></li></ul>\
             <label>Field {block} <input name=\"f{block}\"></label><button>Button {block}</button></section>"
        );
    }
    for left in 0..rest % BLOCK {
        let _ = write!(page, "<p>Line {left}</p>");
    }
    page.push_str("</main></body></html>");
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lab_page_has_the_requested_number_of_elements() {
        for n in [7, 8, 16, 17, 18, 1000, 10_003] {
            let page = html("uk", "T", n);
            let tags = page.matches('<').count() - page.matches("</").count() - 1;
            assert_eq!(tags, n);
        }
    }
}
