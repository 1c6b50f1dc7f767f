//! Pictures for a model in the whole service: when they are sent, and the numbers of elements on them.

use crate::support::model::{Reply, Request, eid_of};
use crate::support::talk::Talk;
use askfirst::text::digit_shapes::{HEIGHT, SHAPES, WIDTH};
use base64::Engine;
use image::RgbImage;
use serde_json::json;

/// Dots of space around a number.
const PADDING: u32 = 2;

/// Returns the picture in the last message of a request, if there is one.
fn picture(request: &Request) -> Option<RgbImage> {
    let last = request.messages().last()?;
    let url = last["content"].as_array()?.iter().find_map(|part| part["image_url"]["url"].as_str())?;
    let coded = url.strip_prefix("data:image/jpeg;base64,")?;
    Some(decode(&base64::engine::general_purpose::STANDARD.decode(coded).unwrap()))
}

fn decode(jpeg: &[u8]) -> RgbImage {
    image::load_from_memory(jpeg).unwrap().to_rgb8()
}

/// Reports whether a number with its dark background begins at a point.
fn is_number_at(picture: &RgbImage, number: u32, (x, y): (u32, u32), dot: u32) -> bool {
    let digits: Vec<usize> = number.to_string().bytes().map(|digit| usize::from(digit - b'0')).collect();
    let width = u32::try_from(digits.len()).unwrap() * (WIDTH + 1) - 1 + 2 * PADDING;
    let height = HEIGHT + 2 * PADDING;
    let mut all_dots = (0..width).flat_map(|column| (0..height).map(move |row| (column, row)));
    if x + width * dot > picture.width() || y + height * dot > picture.height() {
        return false;
    }
    let is_light = |column: u32, row: u32| {
        let pixel = picture.get_pixel(x + column * dot + dot / 2, y + row * dot + dot / 2);
        pixel.0.iter().map(|part| u32::from(*part)).sum::<u32>() > 3 * 128
    };
    all_dots.all(|(column, row)| {
        let inner = column.checked_sub(PADDING).zip(row.checked_sub(PADDING));
        let expected = inner.is_some_and(|(column, row)| {
            let (digit, bit) = (column / (WIDTH + 1), column % (WIDTH + 1));
            let shape = digits.get(digit as usize).map(|digit| SHAPES[*digit]);
            let bits = shape.and_then(|shape| shape.get(row as usize).copied()).unwrap_or_default();
            bit < WIDTH && (bits >> (WIDTH - 1 - bit)) & 1 == 1
        });
        is_light(column, row) == expected
    })
}

/// Returns the first place of a number on a picture.
fn find_number(picture: &RgbImage, number: u32) -> Option<(u32, u32)> {
    let mut places = (0..picture.height()).flat_map(|y| (0..picture.width()).map(move |x| (x, y)));
    places.find(|place| is_number_at(picture, number, *place, 2))
}

const PLACED: &str = "<title>Placed</title><style>button { position: absolute; width: 120px; height: 40px }</style>\
    <button style='left: 300px; top: 200px'>Save</button><button style='left: 700px; top: 420px'>Send</button>";

// The stored picture, which people see, has no numbers.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn numbers_on_the_picture_of_a_page_stand_at_their_elements() {
    let mut talk = Talk::seeing(&[]).await;
    let steps = [talk.shows(PLACED), Reply::stop("Seen.")];
    talk.play("look", steps).await;
    talk.ends_as("succeeded").await;
    let request = talk.model.requests().pop().unwrap();
    let sent = picture(&request).unwrap();
    let observations = talk.events("observation");
    let stored = talk.picture(observations.last().unwrap()["picture"].as_str().unwrap()).await.unwrap();
    let stored = decode(&stored);
    assert!(request.last_text().contains("the numbers drawn on it are eids"), "{}", request.last_text());
    for (name, left, top) in [("Save", 300, 200), ("Send", 700, 420)] {
        let eid = eid_of(&request.page(), "button", name);
        let (x, y) = find_number(&sent, eid).unwrap_or_else(|| panic!("no number {eid} for {name}"));
        // Above the left corner, where there is room.
        let height = (HEIGHT + 2 * PADDING) * 2;
        assert!(x.abs_diff(left) <= 2 && (y + height).abs_diff(top) <= 2, "{name}: {x}, {y}");
        assert_eq!(find_number(&stored, eid), None, "people see the page without numbers");
    }
    talk.finish().await;
}

// A number beside its element would be worse than none.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_element_that_moves_has_no_number_on_the_picture() {
    let page = format!(
        "{PLACED}<button id=m>Moving</button><script>let at = 0; const go = () => {{ at += 1; \
         m.style.left = (at * 40) % 900 + 'px'; m.style.top = 500 + (at * 14) % 182 + 'px'; requestAnimationFrame(go); }}; go();</script>"
    );
    let mut talk = Talk::seeing(&[]).await;
    let steps = [talk.shows(&page), Reply::stop("Seen.")];
    talk.play("look", steps).await;
    talk.ends_as("succeeded").await;
    let request = talk.model.requests().pop().unwrap();
    let sent = picture(&request).unwrap();
    let eid = |name: &str| eid_of(&request.page(), "button", name);
    assert!(find_number(&sent, eid("Save")).is_some(), "what rests has its number");
    assert_eq!(find_number(&sent, eid("Moving")), None);
    talk.finish().await;
}

const NAMED: &str =
    "<title>Named</title><h1>Named</h1><button>Save</button><button>Send</button><button>Close</button>";
const CANVAS: &str = "<title>Drawing</title><body style='margin: 0'><canvas id=c width=1200 height=700 tabindex=0></canvas>\
    <script>c.getContext('2d').fillRect(50, 50, 200, 200)</script>";
const ICONS: &str =
    "<title>Icons</title><button></button><button></button><button></button><button></button>";

// `vision: auto`: a picture where many things have no name, a canvas fills the view, an action had no effect, or the model
// asks for it, and with no other request.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_picture_is_sent_only_where_the_text_is_not_enough() {
    let mut talk = Talk::glancing(&[]).await;
    let steps = [
        talk.shows(NAMED),
        Reply::act("scroll", json!({"direction": "down", "amount": 1})),
        Reply::act("extract", json!({})),
        Reply::act("extract", json!({"as": "picture"})),
        talk.shows(CANVAS),
        talk.shows(NAMED),
        talk.shows(ICONS),
        Reply::stop("Seen."),
    ];
    talk.play("look around", steps).await;
    talk.ends_as("succeeded").await;
    let requests = talk.model.requests();
    let sent: Vec<bool> = requests.iter().map(|request| picture(request).is_some()).collect();
    let titles = ["start", "named", "no effect", "read", "asked for", "canvas", "named again", "icons"];
    let shown: Vec<&str> =
        titles.into_iter().zip(&sent).filter_map(|(title, sent)| sent.then_some(title)).collect();
    assert_eq!(shown, ["no effect", "asked for", "canvas", "icons"], "{sent:?}");
    for (request, sent) in requests.iter().zip(&sent) {
        let text = request.last_text();
        assert_eq!(text.contains("in pixels of the picture"), *sent, "points belong to a picture: {text}");
        assert_eq!(text.contains("the numbers drawn on it are eids"), *sent, "{text}");
        assert_eq!(text.contains("extract {as: \"picture\"}"), !sent, "one can be asked for: {text}");
    }
    talk.finish().await;
}
