//! PDFs in the whole service.

use crate::support::model::Reply;
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
        "scan.pdf" => write_pdf(&[PdfPage::Text(&["Cover"]), PdfPage::Scan], ""),
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
        name => match name.strip_prefix("of-") {
            Some(host) => format!(
                "<h1>P</h1><embed type=application/pdf src=http://{host}/pdf/report.pdf width=500 height=300>"
            ),
            None => String::new(),
        },
    };
    HttpResponse::Ok().content_type("text/html").insert_header(("set-cookie", "pass=1; Path=/")).body(body)
}

fn serve() -> String {
    let routes =
        || App::new().route("/pdf/{name}", web::get().to(pdf)).route("/page/{name}", web::get().to(page));
    let server = HttpServer::new(routes).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
    let host = server.addrs()[0].to_string();
    actix::spawn(server.run());
    host
}

/// Starts a conversation that may visit the site at this host.
async fn talk_about(host: &str) -> Talk {
    Talk::start(&[("ASKFIRST_GATE__PRIVATE_HOSTS", &json!([host]).to_string())]).await
}

fn read(file: &str, more: serde_json::Value) -> Reply {
    let mut params = json!({"file": file});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Reply::act("extract", params)
}

fn opens(host: &str, path: &str) -> Reply {
    Reply::act("navigate", json!({"url": format!("http://{host}/{path}")}))
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_pdf_that_is_opened_is_a_file_whose_pages_are_read() {
    let host = serve();
    let mut talk = talk_about(&host).await;
    talk.play(
        "read the report",
        [opens(&host, "pdf/report.pdf"), read("report.pdf", json!({"pages": "2-"})), Reply::stop("Read.")],
    )
    .await;
    talk.ends_as("succeeded").await;
    let requests = talk.model.requests();
    let opened = requests[1].last_text();
    assert!(opened.contains("note: \"report.pdf\" is a PDF, 3 pages"), "{opened}");
    assert!(opened.contains("extract {\"file\": \"report.pdf\""), "{opened}");
    let returned = requests[2].last_text();
    assert!(
        returned.contains("--- page 2 of 3 ---\nSecond page\n--- page 3 of 3 ---\nThird page"),
        "{returned}"
    );
    assert!(!returned.contains("Annual"), "{returned}");
    talk.finish().await;
}

// The browser fetches the file, with the cookies of its page.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_pdf_behind_a_cookie_and_one_sent_as_an_attachment_are_read() {
    let host = serve();
    let mut talk = talk_about(&host).await;
    talk.script([
        opens(&host, "page/links"),
        opens(&host, "pdf/private.pdf"),
        read("private.pdf", json!({})),
    ]);
    talk.script([Reply::click("link", "Saved"), read("terms.pdf", json!({})), Reply::stop("Read.")]);
    talk.say("read them").await;
    talk.ends_as("succeeded").await;
    let requests = talk.model.requests();
    let returned = requests[3].last_text();
    assert!(returned.contains("--- page 1 of 1 ---\nFor members"), "{returned}");
    let returned = requests[5].last_text();
    assert!(returned.contains("--- page 1 of 1 ---\nTerms of sale"), "{returned}");
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn pdfs_that_pages_embed_are_told_and_become_files() {
    for (page, words) in [
        ("embed", "Annual report"),
        ("object", "Annual report"),
        ("blobembed", "Made by a script"),
        ("data", "Made by a script"),
    ] {
        let host = serve();
        let mut talk = talk_about(&host).await;
        let extract = Reply::seen(move |request| {
            let text = request.page();
            assert!(text.contains("a PDF; extract it"), "{page}: {text}");
            let line = text.lines().find(|line| line.contains("- document")).unwrap().to_owned();
            let eid = line.split(['[', ']']).nth(1).unwrap().parse::<u32>().unwrap();
            Reply::act("extract", json!({"eid": eid}))
        });
        let reads = Reply::seen(move |request| {
            let text = request.last_text();
            let name = text.split("note: \"").nth(1).unwrap_or_else(|| panic!("{page}: {text}"));
            read(name.split('"').next().unwrap(), json!({}))
        });
        talk.script([opens(&host, &format!("page/{page}")), extract, reads, Reply::stop("Read.")]);
        talk.say("read it").await;
        talk.ends_as("succeeded").await;
        let returned = talk.model.requests()[3].last_text();
        assert!(returned.contains(words), "{page}: {returned}");
        talk.finish().await;
    }
}

// A link with `download` opens an address of another site: only `navigate`, which the gate judges, may do that.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_pdf_of_another_site_within_a_page_is_not_opened_by_extract() {
    let (host, other) = (serve(), serve());
    let mut talk = talk_about(&host).await;
    let extract = Reply::seen(|request| {
        let text = request.page();
        let line = text.lines().find(|line| line.contains("- document")).unwrap_or_else(|| panic!("{text}"));
        let eid = line.split(['[', ']']).nth(1).unwrap().parse::<u32>().unwrap();
        Reply::act("extract", json!({"eid": eid}))
    });
    talk.script([opens(&host, &format!("page/of-{other}")), extract, Reply::stop("Seen.")]);
    talk.say("read it").await;
    talk.ends_as("succeeded").await;
    let returned = talk.model.requests()[2].last_text();
    assert!(
        returned.contains(&format!("open its address with navigate: http://{other}/pdf/report.pdf")),
        "{returned}"
    );
    let codes: Vec<_> =
        talk.events("action_finished").iter().map(|event| event["error"]["code"].clone()).collect();
    assert!(codes.contains(&json!("other_site")), "{codes:?}");
    assert!(
        talk.events("observation").iter().all(|event| {
            !event["url"].as_str().unwrap_or_default().starts_with(&format!("http://{other}"))
        })
    );
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn attached_pdfs_that_cannot_be_read_say_why() {
    let host = serve();
    let mut talk = talk_about(&host).await;
    talk.script([opens(&host, "page/links"), Reply::act("need_user", json!({"text": "attach them"}))]);
    talk.say("read what I attach").await;
    let question = talk.wait_for_question().await;
    let mut cut = text_pdf(&[&["cut"]]);
    cut.truncate(40);
    for (name, bytes) in [
        ("locked.pdf", locked_pdf()),
        ("cut.pdf", cut),
        ("text.pdf", b"just text".to_vec()),
        ("letters.bin", b"PK\x03\x04\x00\x00".to_vec()),
        ("scan.pdf", write_pdf(&[PdfPage::Text(&["Cover"]), PdfPage::Scan], "")),
    ] {
        let url = format!("{}/api/runs/{}/files/{name}", talk.app.base, talk.run);
        assert_eq!(reqwest::Client::new().post(url).body(bytes).send().await.unwrap().status(), 201);
    }
    let files = ["locked.pdf", "cut.pdf", "text.pdf", "letters.bin", "scan.pdf"];
    talk.script(files.map(|file| read(file, json!({}))));
    talk.script([
        read("scan.pdf", json!({"pages": "3"})),
        read("scan.pdf", json!({"as": "picture"})),
        Reply::stop("Read."),
    ]);
    talk.answer(&question, json!({"done": true})).await;
    talk.ends_as("succeeded").await;
    let texts: Vec<String> =
        talk.model.requests().iter().skip(3).map(|request| request.last_text()).collect();
    for (text, words) in texts.iter().zip([
        "needs a password",
        "is broken and cannot be read",
        "\"text.pdf\": text, 1 line\njust text",
        "it is neither a PDF nor text",
        "no text on page 2, which is a scan",
        "there is no page 3; the PDF has 2 pages",
        "shown no pictures",
    ]) {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(texts[4].contains("--- page 1 of 2 ---\nCover"), "{}", texts[4]);
    let codes: Vec<_> =
        talk.events("action_finished").iter().map(|event| event["error"]["code"].clone()).collect();
    assert!(codes.contains(&json!("unreadable_file")), "{codes:?}");
    talk.finish().await;
}

// A scan has no text, but a model that sees pictures is shown its pages, with the next turn only.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn pages_of_a_scan_are_shown_as_pictures() {
    let host = serve();
    let mut talk = Talk::seeing(&[("ASKFIRST_GATE__PRIVATE_HOSTS", &json!([host]).to_string())]).await;
    let steps = [
        opens(&host, "pdf/scan.pdf"),
        read("scan.pdf", json!({"pages": "2", "as": "picture"})),
        read("scan.pdf", json!({"pages": "1"})),
        Reply::stop("Seen."),
    ];
    talk.play("look", steps).await;
    talk.ends_as("succeeded").await;
    let requests = talk.model.requests();
    let parts =
        |index: usize| requests[index].messages().last().unwrap()["content"].as_array().unwrap().clone();
    let label = json!("page 2 of \"scan.pdf\", as a picture (untrusted):");
    let shown = parts(2);
    let at = shown
        .iter()
        .position(|part| part["text"] == label)
        .unwrap_or_else(|| panic!("{}", requests[2].last_text()));
    let coded =
        shown[at + 1]["image_url"]["url"].as_str().unwrap().strip_prefix("data:image/jpeg;base64,").unwrap();
    let jpeg = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, coded).unwrap();
    let picture = image::load_from_memory(&jpeg).unwrap().to_luma8();
    let (width, height) = picture.dimensions();
    assert!(height > width && height <= 1541, "{width}x{height}");
    let light = |part: u32| u32::from(picture.get_pixel(width / 2, height * part / 4).0[0]);
    assert!(light(1) < 80 && light(3) > 180, "{} {}", light(1), light(3));
    assert!(parts(3).iter().all(|part| part["text"] != label), "it is shown once");
    talk.finish().await;
}
