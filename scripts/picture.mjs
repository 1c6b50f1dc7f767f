// Runs the demo over HTTP up to its last question, or opens the board of lanes, then takes a screenshot of the
// page with Chromium.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [, , target, what] = process.argv;
const locale = process.env.PICTURE_LOCALE ?? "en";
const size = process.env.PICTURE_SIZE ?? "1440,900";
const folder = mkdtempSync(join(tmpdir(), "askfirst-picture-"));
const service = spawn(process.env.PICTURE_SERVICE ?? "target/release/askfirst", ["serve", "--port", "0", "--data-dir", join(folder, "data")], {
  env: { ...process.env, ASKFIRST_AGENTS_DIR: join(folder, "agents"), ASKFIRST_TELEMETRY__LEVEL: "warn" },
  stdio: ["ignore", "pipe", "inherit"],
});

const words = JSON.parse(readFileSync(`static/locales/${locale}.json`, "utf8"));
const pause = () => new Promise((resolve) => setTimeout(resolve, 200));

async function address() {
  for await (const line of createInterface({ input: service.stdout })) {
    if (line.startsWith("listening on ")) return line.slice("listening on ".length);
  }
  throw new Error("the service did not start");
}

async function call(url, body) {
  const request = body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return (await fetch(url, request)).json();
}

const start = async (base, text) => (await call(`${base}/api/runs`, { agent: "browser", input: { text, locale } })).run_id;

/** Completes a task for the list. */
async function before(base) {
  const [first] = words["examples.orders"];
  const run = await start(base, first.replaceAll("{origin}", base));
  while ((await call(`${base}/api/runs/${run}`)).status !== "succeeded") await pause();
}

/** Approves everything except the order, which stays open. */
async function toTheLastQuestion(base, run) {
  for (;;) {
    const { items } = await call(`${base}/api/questions`);
    const question = items.find((item) => item.run_id === run);
    if (question && /order|замовлення/i.test(question.payload.target.name)) return;
    if (question) await call(`${base}/api/questions/${question.reference}`, { confirmed: true });
    const { status } = await call(`${base}/api/runs/${run}`);
    if (!["queued", "running", "waiting"].includes(status)) throw new Error(`the demo ended as ${status}`);
    await pause();
  }
}

try {
  const base = await address();
  if (what === "chat") {
    await before(base);
    await toTheLastQuestion(base, await start(base, words["demo.order"].replaceAll("{origin}", base)));
  }
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", `--lang=${locale}`, `--accept-lang=${locale}`,
    `--user-data-dir=${join(folder, "viewer")}`, `--window-size=${size}`, "--virtual-time-budget=20000", "--run-all-compositor-stages-before-draw", `--screenshot=${target}`];
  const taken = spawnSync("chromium", [...flags, what === "board" ? `${base}/#/agents/workflow_demo` : `${base}/`], { stdio: "ignore" });
  if (taken.status !== 0) throw new Error("Chromium took no picture");
} finally {
  service.kill("SIGTERM");
  await new Promise((resolve) => service.once("exit", resolve));
  rmSync(folder, { recursive: true, force: true });
}
