//! PDFs in the whole service.

use crate::support::model::{Reply, Request};
use crate::support::pdfs::{PdfPage, locked_pdf, text_pdf, write_pdf};
use crate::support::talk::Talk;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use serde_json::json;

async fn pdf(request: HttpRequest, name: web::Path<String>) -> HttpResponse {
    let mut reply = HttpResponse::Ok();
    reply.content_type("application/pdf");
    let body = match name.as_str() {
        "private.pdf" if request.cookie("pass").is_none() => return HttpResponse::Forbidden().body("no"),
        "private.pdf" => text_pdf(&[&["For members"]]),
        "saved" => {
            reply.insert_header(("content-disposition", "attachment; filename=\"terms.pdf\""));
            text_pdf(&[&["Terms of sale"]])
        }
        _ => text_pdf(&[&["Annual report", "Profit: $7"], &["Second page"], &["Third page"]]),
    };
    reply.body(body)
}

async fn page(name: web::Path<String>) -> HttpResponse {
    let pdf = text_pdf(&[&["Made by a script"]]);
    let list = format!("{pdf:?}");
    let body = match name.as_str() {
        "embed" => String::from(
            "<h1>E</h1><embed type=application/pdf src=/pdf/report.pdf width=500 height=300 title=Report>",
        ),
        "object" => String::from(
            "<h1>O</h1><object type=application/pdf data=/pdf/report.pdf width=500 height=300></object>",
        ),
        "fallback" => String::from(
            "<h1>F</h1><object type=application/pdf data=/pdf/report.pdf width=500 height=300><a href=/pdf/report.pdf>Get it</a></object>",
        ),
        "iframe" => {
            String::from("<h1>I</h1><iframe src=/pdf/report.pdf width=500 height=300 title=Report></iframe>")
        }
        "blobframe" => format!(
            "<h1>B</h1><iframe id=f width=500 height=300></iframe><script>f.src = URL.createObjectURL(new Blob([new Uint8Array({list})], {{type: 'application/pdf'}}))</script>"
        ),
        "blobembed" => format!(
            "<h1>B</h1><embed id=f type=application/pdf width=500 height=300><script>f.src = URL.createObjectURL(new Blob([new Uint8Array({list})], {{type: 'application/pdf'}}))</script>"
        ),
        "blob" => format!(
            "<h1>B</h1><button onclick=\"window.open(URL.createObjectURL(new Blob([new Uint8Array({list})], {{type: 'application/pdf'}})))\">Show</button>"
        ),
        "data" => {
            use base64::Engine;
            format!(
                "<h1>D</h1><embed type=application/pdf width=500 height=300 src='data:application/pdf;base64,{}'>",
                base64::engine::general_purpose::STANDARD.encode(&pdf)
            )
        }
        "links" => String::from(
            "<h1>L</h1><a href=/pdf/report.pdf>Report</a> <a target=_blank href=/pdf/report.pdf>New</a> <a href=/pdf/saved>Saved</a>",
        ),
        _ => String::new(),
    };
    HttpResponse::Ok().content_type("text/html").insert_header(("set-cookie", "pass=1")).body(body)
}

fn serve() -> String {
    let routes =
        || App::new().route("/pdf/{name}", web::get().to(pdf)).route("/page/{name}", web::get().to(page));
    let server = HttpServer::new(routes).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
    let host = server.addrs()[0].to_string();
    actix::spawn(server.run());
    host
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn explore() {
    for name in [
        "embed",
        "object",
        "fallback",
        "iframe",
        "blobframe",
        "blobembed",
        "data",
        "blob",
        "links",
        "direct",
        "newtab",
        "saved",
    ] {
        let host = serve();
        let hosts = json!([host]).to_string();
        let mut talk = Talk::start(&[("ASKFIRST_GATE__PRIVATE_HOSTS", &hosts)]).await;
        let path = match name {
            "direct" => String::from("pdf/report.pdf"),
            "newtab" | "saved" => String::from("page/links"),
            name => format!("page/{name}"),
        };
        talk.script([Reply::act("navigate", json!({"url": format!("http://{host}/{path}")}))]);
        match name {
            "blob" => talk.script([Reply::click("button", "Show")]),
            "links" => talk.script([Reply::click("link", "Report")]),
            "newtab" => talk.script([Reply::click("link", "New")]),
            "saved" => talk.script([Reply::click("link", "Saved")]),
            _ => {}
        }
        talk.script([Reply::act("wait", json!({"seconds": 1})), Reply::stop("x")]);
        talk.say("look").await;
        talk.ended().await;
        for request in talk.model.requests().iter().skip(1) {
            println!(
                "=== {name}\n{}",
                request.last_text().split("Actions that").collect::<Vec<_>>().join("\n")
            );
        }
        talk.finish().await;
    }
}
