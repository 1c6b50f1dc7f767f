//! The page "Model" in a real Chromium: a model is connected, tried, saved and removed.

use crate::model_connection::{ABLE, Endpoint, KEY, serve};
use crate::support::agents::get;
use crate::support::app::spawn;
use crate::support::talk::slot;
use crate::support::ui::{Ui, lines};
use serde_json::json;

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_model_is_connected_tried_saved_and_removed_in_the_page() {
    let _slot = slot().await;
    let endpoint = serve(Endpoint { key: Some(KEY), sees: false, ..ABLE });
    let app = spawn(&[]).await;
    let ui = Ui::open(&app.base).await;
    ui.click("link", "Connect a model").await;
    ui.sees("Choose a server below").await;
    let seen = ui.observe().await;
    let head = seen.lines.iter().find(|line| line.role == "heading" && line.name == "Model").unwrap();
    assert!(!head.attributes.above, "the page begins at its top");
    ui.types("Address", &endpoint.base).await;
    ui.types("Key", "sk-wrong-0123456789").await;
    ui.click("button", "Show models").await;
    ui.sees("The server did not accept the key.").await;
    ui.types("Key", KEY).await;
    ui.click("button", "Show models").await;
    ui.click("button", "small").await;
    ui.click("button", "Test").await;
    ui.sees("It works").await;
    ui.sees("Takes no pictures").await;
    assert_eq!(get(&app, "/api/model").await["configured"], false, "a trial connects nothing");
    ui.click("button", "Save").await;
    ui.sees("Saved. New tasks will use this model.").await;
    let now = get(&app, "/api/model").await;
    assert_eq!(
        (&now["model"], &now["key"], &now["source"]),
        (&json!("small"), &json!("set"), &json!("page"))
    );
    let shown = lines(&*ui.observe().await);
    assert!(!shown.contains(KEY) && shown.contains("key set"), "{shown}");
    // The rest of the page knows of it without being loaded anew.
    ui.click("link", "New task").await;
    ui.is_gone("Connect a model").await;
    ui.click("link", "Model").await;
    ui.click("button", "Disconnect").await;
    ui.sees("Choose a server below").await;
    assert_eq!(get(&app, "/api/model").await["configured"], false);
    endpoint.handle.stop(false).await;
    ui.finish().await;
    app.finish().await;
}
