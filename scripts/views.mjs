// Takes screenshots of states that are hard to reach by hand: plans with evidence, a plan being edited, an
// approval, background tasks, a question, a used-up budget, an inspected run. The service is real; its model is
// a script in this file. Each state in both languages, light and dark, wide and narrow.
// Usage: node --experimental-websocket scripts/views.mjs FOLDER [STATE…]
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { AGENTS, STATES, called } from "./views_states.mjs";

const [, , target, ...wanted] = process.argv;
const SIZES = { wide: [1280, 800], narrow: [390, 844] };
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const folder = mkdtempSync(join(tmpdir(), "askfirst-views-"));
mkdirSync(target, { recursive: true });
mkdirSync(join(folder, "agents"), { recursive: true });
for (const [name, text] of Object.entries(AGENTS)) writeFileSync(join(folder, "agents", `${name}.yaml`), `name: ${name}\n${text}`);

/** Replies of the model, in order; after the last one it never replies. */
const script = [];
const model = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => { body += part; });
  request.on("end", () => {
    const { content: asked } = JSON.parse(body).messages.at(-1);
    const text = typeof asked === "string" ? asked : asked.map((part) => part.text ?? "").join("");
    const ofCall = called(text);
    const reply = ofCall === null ? script.shift() : ofCall;
    if (reply === undefined) return;
    const answer = typeof reply === "function" ? reply(text) : reply;
    const content = typeof answer === "string" ? answer : JSON.stringify(answer);
    const usage = { prompt_tokens: 2400, completion_tokens: 180, prompt_tokens_details: { cached_tokens: 2000 } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "scripted", choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }], usage }));
  });
});
await new Promise((resolve) => model.listen(0, "127.0.0.1", resolve));

async function lineOf(stream, start) {
  for await (const line of createInterface({ input: stream })) if (line.startsWith(start)) return line.slice(start.length);
  throw new Error("the service did not start");
}

async function call(url, body) {
  const request = body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await (await fetch(url, request)).json();
  if (answer.code) throw new Error(`${url}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Page of a separate Chromium, controlled over CDP. */
async function chromium() {
  const profile = join(folder, "viewer");
  const child = spawn("chromium", ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"], { stdio: "ignore" });
  let port;
  while (!port) {
    await pause(100);
    try { [port] = readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n"); } catch { /* not yet */ }
  }
  const page = (await call(`http://127.0.0.1:${port}/json`)).find(({ type }) => type === "page");
  const socket = new WebSocket(page.webSocketDebuggerUrl);
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  const waiting = new Map();
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    if (error) throw new Error(JSON.stringify(error));
    waiting.get(id)?.(result);
  });
  let sent = 0;
  const order = (method, params = {}) => new Promise((resolve) => {
    sent += 1;
    waiting.set(sent, resolve);
    socket.send(JSON.stringify({ id: sent, method, params }));
  });
  const run = async (expression) => (await order("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })).result.value;
  return { order, run, end: () => child.kill() };
}

async function until(page, condition, what) {
  for (let tries = 0; tries < 150; tries += 1) {
    if (await page.run(`Boolean(${condition})`)) return;
    await pause(100);
  }
  console.error(`${what}: this never came: ${condition}`);
}

/** Plays a state up to its screenshot. */
async function played(base, name, locale) {
  const state = STATES[name];
  script.splice(0, Infinity, ...state.script(locale, base));
  const files = [];
  for (const [file, body] of Object.entries(state.files ?? {})) files.push((await (await fetch(`${base}/api/files/${file}`, { method: "POST", body })).json()).id);
  const run = (await call(`${base}/api/runs`, { agent: state.agent, input: state.input?.(locale) ?? { text: state.text[locale], locale }, ...(files.length ? { files } : {}) })).run_id;
  for (let tries = 0; ; tries += 1) {
    const whole = await call(`${base}/api/runs/${run}`);
    const asks = whole.questions.length > 0;
    if (state.until(whole) && (script.length === 0 || asks)) return run;
    const gated = whole.questions.find(({ kind }) => kind === "confirm" || (kind === "approve_plan" && state.approves));
    if (gated) await call(`${base}/api/questions/${gated.reference}`, { confirmed: true });
    if (tries > 300) throw new Error(`${name} does not come to its state: ${JSON.stringify(whole).slice(0, 2000)}`);
    await pause(100);
  }
}

async function taken(page, base, name, run, { locale, theme, size }) {
  const [width, height] = SIZES[size];
  await page.order("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  await page.order("Page.navigate", { url: `${base}/healthz` });
  await pause(150);
  await page.run(`localStorage.setItem('askfirst.locale', '${locale}'), localStorage.setItem('askfirst.theme', '${theme}')`);
  await page.order("Page.navigate", { url: `${base}/#/runs/${run}` });
  for (const [condition, action] of STATES[name].steps) {
    await until(page, condition, name);
    await page.run(action);
  }
  await pause(900); // pictures and animations
  const { data } = await page.order("Page.captureScreenshot", { format: "png" });
  writeFileSync(join(target, `${name}-${locale}-${theme}-${size}.png`), Buffer.from(data, "base64"));
  const wide = await page.run("[...document.querySelectorAll('body *')].filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('.sr, svg')).map((one) => `${one.localName}.${one.className}`).slice(0, 5).join(' ')");
  if (wide) console.error(`${name} ${locale} ${size}: wider than the window: ${wide}`);
}

const service = spawn(process.env.PICTURE_SERVICE ?? "target/release/askfirst", ["serve", "--port", "0", "--data-dir", join(folder, "data")], {
  env: { ...process.env, ASKFIRST_AGENTS_DIR: join(folder, "agents"), ASKFIRST_TELEMETRY__LEVEL: "warn", ASKFIRST_MODEL__BASE_URL: `http://127.0.0.1:${model.address().port}/v1`, ASKFIRST_MODEL__PLANNER: "scripted", ASKFIRST_MODEL__STRUCTURED: "prompt" },
  stdio: ["ignore", "pipe", "inherit"],
});
const page = await chromium();
try {
  const base = await lineOf(service.stdout, "listening on ");
  for (const name of wanted.length ? wanted : Object.keys(STATES)) {
    for (const locale of ["uk", "en"]) {
      const run = await played(base, name, locale);
      for (const theme of ["light", "dark"]) for (const size of Object.keys(SIZES)) await taken(page, base, name, run, { locale, theme, size });
      if ((await call(`${base}/api/runs/${run}`)).ended_at === null) await call(`${base}/api/runs/${run}/stop`, {});
    }
  }
} finally {
  page.end();
  service.kill("SIGTERM");
  await new Promise((resolve) => service.once("exit", resolve));
  model.close();
  model.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
