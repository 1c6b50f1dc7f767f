//! Messages to the shop, and returns with a file.

use crate::demo::form_errors::FormErrors;
use crate::demo::products::choose_known;
use crate::demo::templates::merge_objects;
use crate::demo::visitors::visit::Visit;
use crate::demo::visitors::visitor::{ContactMessage, Return, keep};
use actix_multipart::{Field, Multipart, MultipartError};
use actix_web::{HttpResponse, web};
use futures_util::TryStreamExt;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const TOPICS: [&str; 4] = ["order", "repair", "praise", "other"];
/// Maximum size in bytes of one part of the return form, including its file.
const LARGEST_PART: usize = 512 * 1024;
const MOST_PARTS: usize = 8;

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub struct MessageForm {
    email: String,
    topic: String,
    text: String,
}

pub async fn show(visit: Visit) -> HttpResponse {
    let email = visit.read(|visitor| visitor.account().map(|account| account.email.clone()));
    let form = MessageForm { email: email.unwrap_or_default(), ..MessageForm::default() };
    let page = contact_context(&visit);
    visit.page("contact.html", merge_objects(json!({ "form": form }), page))
}

pub async fn send(visit: Visit, form: web::Form<MessageForm>) -> HttpResponse {
    let mut faults = FormErrors::none(visit.lang);
    faults.email("email", &form.email);
    faults.text("text", &form.text);
    if !faults.is_empty() {
        let page = contact_context(&visit);
        return visit
            .refuse("contact.html", merge_objects(json!({ "errors": faults, "form": form.0 }), page));
    }
    let MessageForm { email, topic, text } = form.0;
    let message = ContactMessage { email, topic: choose_known(&topic, &TOPICS).into(), text };
    visit.change(|visitor| keep(&mut visitor.messages, message));
    visit.redirect_with_message("/demo/contact", visit.text("contact.thanks"))
}

fn contact_context(visit: &Visit) -> Value {
    let view = |message: &ContactMessage| json!({ "topic_name": visit.text(&format!("topics.{}", message.topic)), "text": message.text });
    let messages: Vec<Value> = visit.read(|visitor| visitor.messages.iter().rev().map(view).collect());
    json!({ "messages": messages, "topics": visit.options("topics", &TOPICS) })
}

#[derive(Default, Serialize)]
struct ReturnForm {
    order: String,
    reason: String,
    #[serde(skip)]
    file: String,
    #[serde(skip)]
    bytes: usize,
    #[serde(skip)]
    too_big: bool,
}

pub async fn returns(visit: Visit) -> HttpResponse {
    let page = returns_context(&visit);
    visit.page("returns.html", page)
}

pub async fn send_return(visit: Visit, parts: Multipart) -> HttpResponse {
    let form = match read_return(parts).await {
        Ok(form) => form,
        Err(error) => return HttpResponse::BadRequest().body(format!("the form cannot be read: {error}")),
    };
    let mut faults = FormErrors::none(visit.lang);
    let order = form.order.trim().parse();
    faults.add_if(order.is_err(), "order", "errors.order");
    faults.text("reason", &form.reason);
    faults.add_if(form.too_big, "file", "returns.too_big");
    let Some(order) = order.ok().filter(|_| faults.is_empty()) else {
        let page = returns_context(&visit);
        return visit.refuse("returns.html", merge_objects(json!({ "errors": faults, "form": form }), page));
    };
    let ReturnForm { reason, file, bytes, .. } = form;
    visit.change(|visitor| keep(&mut visitor.returns, Return { order, reason, file, bytes }));
    visit.redirect_with_message("/demo/returns", visit.text("returns.thanks"))
}

fn returns_context(visit: &Visit) -> Value {
    let returns: Vec<Value> =
        visit.read(|visitor| visitor.returns.iter().rev().map(|entry| json!(entry)).collect());
    json!({ "returns": returns })
}

/// Reads the parts one by one. File contents are counted and discarded.
async fn read_return(mut parts: Multipart) -> Result<ReturnForm, MultipartError> {
    let mut form = ReturnForm::default();
    let mut seen = 0;
    while let Some(mut part) = parts.try_next().await? {
        seen += 1;
        if seen > MOST_PARTS {
            return Err(MultipartError::Incomplete);
        }
        let name = part.name().unwrap_or_default().to_owned();
        let file = part.content_disposition().and_then(|about| about.get_filename()).map(short_name);
        let (text, bytes) = read_part(&mut part, file.is_none()).await?;
        match name.as_str() {
            "order" => form.order = text,
            "reason" => form.reason = text,
            "file" => (form.file, form.bytes) = (file.unwrap_or_default(), bytes),
            _ => {}
        }
        if bytes > LARGEST_PART {
            // The rest is not read, so that the browser gets the error without sending everything.
            form.too_big = true;
            break;
        }
    }
    Ok(form)
}

/// Reads the text (if wanted) and the size of a part. Stops once the part is too large.
async fn read_part(part: &mut Field, keep_text: bool) -> Result<(String, usize), MultipartError> {
    let (mut text, mut bytes) = (Vec::new(), 0);
    while let Some(chunk) = part.try_next().await? {
        bytes += chunk.len();
        if bytes > LARGEST_PART {
            break;
        }
        if keep_text {
            text.extend_from_slice(&chunk);
        }
    }
    Ok((String::from_utf8_lossy(&text).into_owned(), bytes))
}

fn short_name(name: &str) -> String {
    name.rsplit(['/', '\\']).next().unwrap_or_default().chars().take(100).collect()
}
