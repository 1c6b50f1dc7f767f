// Drives the service by its HTTP interface up to the demo's last question, then has Chromium take
// the page as a person would see it.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const target = process.argv[2];
const locale = process.env.PICTURE_LOCALE ?? "en";
const size = process.env.PICTURE_SIZE ?? "1440,900";
const folder = mkdtempSync(join(tmpdir(), "askfirst-picture-"));
const service = spawn("target/release/askfirst", ["serve", "--port", "0", "--data-dir", join(folder, "data")], {
  env: { ...process.env, ASKFIRST_AGENTS_DIR: join(folder, "agents"), ASKFIRST_TELEMETRY__LEVEL: "warn" },
  stdio: ["ignore", "pipe", "inherit"],
});

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

/** Approves everything but the order itself, which is left waiting. */
async function toTheLastQuestion(base, run) {
  for (;;) {
    const { items } = await call(`${base}/api/questions`);
    const question = items.find((item) => item.run_id === run);
    if (question && /order|замовлення/i.test(question.payload.target.name)) return;
    if (question) await call(`${base}/api/questions/${question.reference}`, { confirmed: true });
    const { status } = await call(`${base}/api/runs/${run}`);
    if (!["queued", "running", "waiting"].includes(status)) throw new Error(`the demo ended as ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

try {
  const base = await address();
  const words = JSON.parse(readFileSync(`static/locales/${locale}.json`, "utf8"));
  const text = words["demo.order"].replaceAll("{origin}", base);
  const { run_id: run } = await call(`${base}/api/runs`, { agent: "browser", input: { text, locale } });
  await toTheLastQuestion(base, run);
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", `--lang=${locale}`,
    `--user-data-dir=${join(folder, "viewer")}`, `--window-size=${size}`, "--virtual-time-budget=20000", "--run-all-compositor-stages-before-draw", `--screenshot=${target}`];
  const taken = spawnSync("chromium", [...flags, `${base}/`], { stdio: "ignore" });
  if (taken.status !== 0) throw new Error("Chromium took no picture");
} finally {
  service.kill("SIGTERM");
  await new Promise((resolve) => service.once("exit", resolve));
  rmSync(folder, { recursive: true, force: true });
}
