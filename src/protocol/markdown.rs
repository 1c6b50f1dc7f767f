//! Markdown from agents as HTML that is safe to show: the only way for an agent's words to become
//! markup. Pages and models cannot bring scripts, styles, frames, forms or pictures into the UI.

use pulldown_cmark::{Options, Parser, html};

/// Sanitised HTML of a Markdown text; links open elsewhere and tell nothing of us.
pub fn safe_html(markdown: &str) -> String {
    let mut raw = String::with_capacity(markdown.len() * 2);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    html::push_html(&mut raw, Parser::new_ext(markdown, options));
    ammonia::Builder::default()
        .rm_tags(["img", "map", "area", "style", "form", "input"])
        .link_rel(Some("noopener noreferrer nofollow"))
        .add_tag_attributes("a", ["target"])
        .set_tag_attribute_value("a", "target", "_blank")
        .url_schemes(["http", "https", "mailto"].into())
        .clean(&raw)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::safe_html;

    #[test]
    fn markup_from_a_model_cannot_run() {
        let hostile = "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n\
                       [x](javascript:alert(1)) **ok**\n\n<iframe src=//evil></iframe>";
        let html = safe_html(hostile);
        assert!(html.contains("<strong>ok</strong>"), "{html}");
        for bad in ["<script", "<img", "javascript:", "<iframe", "onerror"] {
            assert!(!html.contains(bad), "{bad} in {html}");
        }
    }
}
