//! First words of an answer: from the moment when the model's endpoint has written their token to the socket until the
//! service's own page, in a Chromium of its own, has drawn them.

use super::stage;
use super::table::{Goal, Row, Sample};
use askfirst::clock::Moment;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

const ROUNDS: usize = 15;
/// Pause before the token with the first words, so that nothing else is under way.
const REST: Duration = Duration::from_millis(200);
/// Turn that ends the run, up to the message to the person.
const BEGIN: &str = "{\"actions\": [], \"stop\": true, \"status\": \"SUCCESS\", \"response\": \"";
/// Head of a response whose body ends with the connection.
const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// Response to requests for anything but an answer.
const REFUSAL: &str = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// Answer to a request of the service, written piece by piece.
struct StreamedAnswer(TcpStream);

pub async fn measure() -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let (model_url, mut asked) = serve_model().await;
    let settings =
        [("ASKFIRST_MODEL__BASE_URL", model_url.as_str()), ("ASKFIRST_MODEL__PLANNER", "scripted")];
    let site = stage::site();
    let (service, mut viewer, mut bare) = stage::start_service_with(folder.path(), &site, &settings).await;
    let run = viewer.say("tell me something", None).await;
    bare.go(&format!("{}/#/runs/{run}", service.base)).await;
    let mut ours = Sample::default();
    for round in 0..ROUNDS {
        if round > 0 {
            viewer.say("tell me more", Some(&run)).await;
        }
        let mut answer = asked.recv().await.expect("the service asks");
        answer.write_text(BEGIN).await;
        tokio::time::sleep(REST).await;
        let words = format!("Answer {round} begins");
        let drawn = bare.send("Runtime.evaluate", wait_for_words(&words)).await;
        answer.write_text(&format!("{words} here ")).await;
        let written = Moment::now().millis() as f64;
        let drawn = bare.answers(&[drawn]).await.remove(0)["result"]["value"].as_f64().unwrap();
        ours.add(drawn - written);
        answer.finish("and ends.\"}").await;
        viewer.until("run_ended").await;
    }
    bare.close().await;
    service.terminate().await;
    let what = "the model's first words → drawn on the service's page";
    vec![Row::new(what, "ms", ours, Goal::AtMost(300.0))]
}

/// Evaluation that returns the Unix milliseconds at the frame after the one that has drawn these words.
fn wait_for_words(words: &str) -> Value {
    let words = json!(words);
    let expression = format!(
        "new Promise((done) => {{ const look = () => requestAnimationFrame(\
         document.querySelector('af-chat').textContent.includes({words}) ? () => done(Date.now()) : look); look(); }})"
    );
    json!({"expression": expression, "awaitPromise": true, "returnByValue": true})
}

/// Starts the model's server. Returns its address, and the answers to the requests that it receives.
async fn serve_model() -> (String, mpsc::UnboundedReceiver<StreamedAnswer>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (tell, asked) = mpsc::unbounded_channel();
    actix::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let tell = tell.clone();
            actix::spawn(async move {
                if let Some(answer) = StreamedAnswer::begin(socket).await {
                    let _ = tell.send(answer);
                }
            });
        }
    });
    (url, asked)
}

/// Reads the rest of a request's head. Returns the length of its body; `None` if the connection ends before.
async fn read_length(reader: &mut BufReader<TcpStream>) -> Option<usize> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            return Some(length);
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
}

impl StreamedAnswer {
    /// Reads the request, and writes the head of the response; `None` for a request of another kind, which is refused.
    async fn begin(socket: TcpStream) -> Option<Self> {
        socket.set_nodelay(true).unwrap();
        let mut reader = BufReader::new(socket);
        let mut first = String::new();
        reader.read_line(&mut first).await.ok()?;
        let length = read_length(&mut reader).await?;
        reader.read_exact(&mut vec![0; length]).await.ok()?;
        let mut answer = Self(reader.into_inner());
        if !first.contains("/chat/completions") {
            answer.write(REFUSAL).await;
            return None;
        }
        answer.write(HEAD).await;
        Some(answer)
    }

    /// Writes a token of the answer.
    async fn write_text(&mut self, piece: &str) {
        let delta = json!({"model": "scripted", "choices": [{"index": 0, "delta": {"content": piece}}]});
        self.write(&format!("data: {delta}\n\n")).await;
    }

    /// Writes the last token, and the end of the stream.
    async fn finish(mut self, piece: &str) {
        self.write_text(piece).await;
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        let usage = json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}});
        self.write(&format!("data: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n")).await;
        self.0.shutdown().await.unwrap();
    }

    async fn write(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }
}
