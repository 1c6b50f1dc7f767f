// States for views.mjs: agent, message, replies of the model, and actions of the person before the screenshot.

const CONVERSES = "kind: atomic\ninputs: [{name: text, type: string, required: true}]\n";

export const AGENTS = {
  planner: `${CONVERSES}title_ua: Помічник\ntitle_en: Assistant\nllm: {prompt: '{{ text }}', plan: {approve: ask}}\n`,
  saver: `${CONVERSES}title_ua: Ощадливий\ntitle_en: Saver\nllm: {prompt: '{{ text }}', plan: auto}\nlimits: {tokens: 3000}\n`,
  master: `${CONVERSES}title_ua: Майстер\ntitle_en: Master\nllm: {prompt: '{{ text }}', uses: [slow], plan: 'off', thinking: 'off'}\n`,
  caller: `${CONVERSES}title_ua: Керівник\ntitle_en: Manager\nllm: {prompt: '{{ text }}', uses: [echo, breaks, read_file, slow], plan: 'off', thinking: 'off'}\n`,
  breaks: "kind: atomic\ntitle_ua: Лічильник\ntitle_en: Counter\ndescription_ua: 'Рахує рядки `звіту`.'\ndescription_en: 'Counts the lines of the `report`.'\noutputs: [{name: n, type: number}]\npython: {code: 'raise ValueError(\"the report has no lines\")'}\n",
  seer: `${CONVERSES}title_ua: Зіркий\ntitle_en: Seer\nbrowser: {vision: true, plan: 'off', thinking: 'off'}\n`,
  slow: "kind: atomic\ntitle_ua: Збирач\ntitle_en: Builder\ninputs: [{name: what, type: string, required: true}]\noutputs: [{name: answer, type: string}]\nllm: {prompt: 'Do {{ what }}.'}\n",
};

const turn = (fields) => ({ status: "EXECUTING", context: { knowledge_relics: [], variables: [] }, thoughts: [], step_ref: null, expected_outcome: null, confidence: 1, actions: [], stop: false, response: null, ...fields });
const act = (action, params, more = {}) => turn({ actions: [{ action_id: more.id ?? null, action, type: "tool", params, execution: more.execution ?? "SYNC", depends_on: more.needs ?? null, display: more.display ?? null, sub_actions: [] }], ...more.turn });
const claims = (step) => turn({ status: "SUCCESS", step_ref: step });
const says = (text) => turn({ status: "SUCCESS", stop: true, response: text, actions: [{ action: "stop", params: { response: text } }] });
const judged = (met, why) => ({ met, why });
const plan = (items) => ({ items, open_questions: [], notes: null });
let button = 0; // number of the button that puts the lamp into the cart
const finds = (name, then) => (page) => { button = Number(new RegExp(`"${name}" \\[(\\d+)\\]`).exec(page)?.[1] ?? 0); return then; };

const WORDS = {
  uk: {
    items: [["Відкрито магазин ламп", "показано список товарів"], ["У кошику одна лампа «Зоря»", "сторінка кошика показує одну лампу «Зоря»"], ["Відома вартість доставки до Львова", "названо суму в гривнях"], ["Обрано найдешевшу доставку", "позначено найдешевший спосіб"], ["Складено короткий підсумок для Олени", "підсумок має ціну, доставку й загальну суму, і в ньому нема нічого зайвого"]],
    add: "Додати в кошик: Лампа Зоря", no: "кошик ще порожній: сторінка показує «У кошику нічого немає»", yes: "у кошику одна лампа «Зоря» за 1 280 ₴",
    thought: "Спершу треба дізнатися, скільки коштує доставка, інакше не можна порівняти способи.", expects: "сторінка покаже таблицю доставки", assume: "Олена живе у Львові, тож досить однієї адреси.",
    tasks: ["Збираю звіт за жовтень", "Стежу за ціною лампи", "Перевіряю посилання", "Надсилаю звіт Олені"], begun: "Почав. Можете писати далі, я скажу, коли буде готово.", done: "Звіт зібрано: 40 сторінок, помилок нема.",
    city: "До якого міста доставити?", cities: ["Львів", "Київ", "Заберу самостійно в магазині на вулиці Городоцькій"], end: "Лампа в кошику, доставка до Львова коштує 80 ₴.",
  },
  en: {
    items: [["The lamp shop is open", "a list of products is shown"], ["The cart holds one Zoria lamp", "the cart page lists one Zoria lamp"], ["The price of delivery to Lviv is known", "an amount in hryvnias is named"], ["The cheapest delivery is chosen", "the cheapest way is marked"], ["A short summary for Olena is written", "the summary has the price, the delivery and the total, and nothing beside them"]],
    add: "Add to cart: Zoria lamp", no: "the cart is still empty: the page says “Your cart is empty”", yes: "the cart holds one Zoria lamp for ₴1,280",
    thought: "First I have to know what delivery costs, or the ways cannot be compared.", expects: "the page shows a table of deliveries", assume: "Olena lives in Lviv, so one address is enough.",
    tasks: ["Building the October report", "Watching the price of the lamp", "Checking links", "Sending the report to Olena"], begun: "It has begun. You can go on writing, I will say when it is there.", done: "The report is there: 40 pages, no faults.",
    city: "Which city shall it be delivered to?", cities: ["Lviv", "Kyiv", "I will fetch it myself from the shop in Horodotska street"], end: "The lamp is in the cart, delivery to Lviv costs ₴80.",
  },
};

/**
 * Returns the reply of the called agent, of which the first ends at once and others never; null for another
 * request.
 */
export function called(text) {
  const what = /^Do (.*)\.$/.exec(text.trim())?.[1];
  if (!what) return null;
  const words = Object.values(WORDS).find(({ tasks }) => tasks[2] === what);
  return words?.done;
}

const items = (locale) => WORDS[locale].items.map(([description, acceptance_criteria], at) => ({
  description, acceptance_criteria, dependencies: at ? [at] : [], predicates: at === 0 ? [{ check: "url", name: null, value: "/demo/" }] : [],
}));
const text = { uk: "Знайди лампу «Зоря», дізнайся про доставку і склади підсумок", en: "Find the Zoria lamp, see what delivery costs and write a summary" };
const thinks = (w) => turn({ thoughts: [{ type: "OBSERVATION", content: w.assume }, { type: "PLAN", content: w.thought }], step_ref: 3, confidence: 0.7, expected_outcome: w.expects, actions: [{ action: "scroll", params: { direction: "down" } }] });

/** Plan for the shop: an item with machine-checked criteria, a rejected one, and a running one. */
const inTheShop = (locale, base, rest) => {
  const w = WORDS[locale];
  return [act("replan", { reason: "steps" }), plan(items(locale)), act("navigate", { url: `${base}/demo/?lang=${locale}` }),
    finds(w.add, claims(2)), judged(false, w.no), () => act("click", { eid: button }, { turn: { step_ref: 2 } }), claims(2), judged(true, w.yes), ...rest];
};
const fold = "document.querySelector('af-plan:not([data-open]) .plan-fold')?.click()";
const row = (n) => `document.querySelector('af-plan .plan-item:nth-child(${n}) summary')`;
const shown = "document.querySelector('af-plan .plan-head strong')";
const begins = (action_id, what, type, seconds, depends_on = null) => ({ action_id, action: "slow", type: "tool", params: { what }, execution: "ASYNC", depends_on, display: { type, label: what, estimated_duration_seconds: seconds }, sub_actions: [] });

const running = ({ status }) => status === "running";
const asks = ({ questions }) => questions.length > 0;
const ended = ({ ended_at: at }) => at !== null;

/** Plan with a failed step, one before it, and an unreachable one. */
const failing = (locale) => {
  const [, , links] = WORDS[locale].tasks;
  const step = (id, agent, input) => ({ id, type: "agent", agent_id: agent, with: input });
  return { plan: { steps: [step("links", "slow", { what: links }), step("count", "breaks", {}), step("summary", "slow", { what: links })] }, locale };
};
const unknown = (locale) => ({ plan: { steps: [{ id: "read", type: "agent", agent_id: "nobody" }] }, locale });

/** Plan with a completed step, two parallel ones of which one is running, and a queued one. */
const orders = (locale) => {
  const { tasks: [report, , links, sending] } = WORDS[locale];
  const step = (id, what) => ({ id, type: "agent", agent_id: "slow", with: { what } });
  return { plan: { steps: [step("links", links), { id: "sources", type: "parallel", merge_strategy: "best_effort", children: [step("again", links), step("report", report)] }, step("summary", sending)] }, locale };
};

/** Three parallel agents, each with a plan to approve. */
const planners = (locale) => ({ plan: { steps: [{ id: "all", type: "parallel", merge_strategy: "best_effort", children: [1, 2, 3].map((n) => ({ id: `p${n}`, type: "agent", agent_id: "planner", with: { text: text[locale] } })) }] }, locale });

/** Number of the element with this name on the page that a request shows. */
const eidOf = (page, name) => Number(new RegExp(`"${name}" \\[(\\d+)\\]`).exec(page)?.[1] ?? 0);
const FORM = { uk: ["E-mail", "Тема", "Повідомлення"], en: ["E-mail", "Topic", "Message"] };
const TOPIC = { uk: "Ремонт", en: "Repair" };
const rows = { type: "array", items: { type: "object", properties: { name: { type: "string" }, price: { type: "number" }, colour: { type: "string" } }, required: ["name", "colour"] } };

const fillsForm = (page, l) => act("fill", { fields: FORM[l].map((name, at) => ({ eid: eidOf(page, name), ...[{ text: "olena@example.com" }, { option: TOPIC[l] }, { text: WORDS[l].end }][at] })) });

/** Filling, finding, reading of rows that a model invents in part, clicks with keys, at points and with time. */
const values = (l, base) => [
  act("navigate", { url: `${base}/demo/contact?lang=${l}` }),
  (page) => fillsForm(page, l),
  act("navigate", { url: `${base}/demo/?lang=${l}` }),
  finds(WORDS[l].add, act("find", { text: l === "uk" ? "Зоря" : "Zoria", role: "button" })),
  act("extract", { schema: rows, as: "csv" }),
  { rows: [{ name: l === "uk" ? "Лампа Зоря" : "Zoria lamp", price: 1280, colour: "ultraviolet" }, { name: "Golden Phoenix", price: 99999, colour: null }] },
  act("click", { x: 640, y: 300, modifiers: ["Control"] }),
  () => act("click", { eid: button, hold_ms: 600 }),
  says(WORDS[l].end),
];

const shop = (l, base) => [act("navigate", { url: `${base}/demo/?lang=${l}` }), says(WORDS[l].end)];
// In narrow windows a button of the top bar opens the task list.
const menu = [["document.querySelector('af-runs [aria-haspopup=menu]')", "((rail) => rail?.checkVisibility() && rail.click())(document.querySelector('af-topbar .menu'))"], ["document.querySelector('af-runs [aria-haspopup=menu]').checkVisibility()", "document.querySelector('af-runs [aria-haspopup=menu]').click()"], ["document.querySelector('.row-menu')", ""]];

/** A message to the shop that waits for its approval. */
const message = (l, base) => [
  act("navigate", { url: `${base}/demo/contact?lang=${l}` }),
  (page) => finds(l === "uk" ? "Надіслати повідомлення" : "Send message", fillsForm(page, l))(page),
  () => act("click", { eid: button }),
];

/** PDF with these texts, a page each, in lines of 90 letters. */
function pdfOf(pages) {
  const objects = ["<</Type/Catalog/Pages 2 0 R>>", `<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, at) => `${4 + at * 2} 0 R`).join(" ")}]>>`, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"];
  pages.forEach((text, at) => {
    const lines = text.match(/.{1,90}/g).map((line) => `(${line.replace(/[\\()]/g, "")})'`).join("\n");
    const drawn = `BT /F1 6 Tf 7 TL 30 780 Td\n${lines}\nET`;
    objects.push(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + at * 2} 0 R>>`, `<</Length ${drawn.length}>>\nstream\n${drawn}\nendstream`);
  });
  let body = "%PDF-1.4\n";
  const places = objects.map((object, at) => { const place = body.length; body += `${at + 1} 0 obj\n${object}\nendobj\n`; return place; });
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  return `${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF`;
}
const report = pdfOf(["Quarter report. Income 100. ", "Details of the shops. ", "Notes. "].map((text) => text.repeat(9000 / text.length | 0)));

export const STATES = {
  pdf: { agent: "seer", text, files: { "report.pdf": report }, script: (l) => [act("extract", { file: "report.pdf", pages: "1-3" }), act("extract", { file: "nope.pdf" }), says(WORDS[l].end)], until: ended, steps: [["document.querySelector('.ended')", ""]] },
  permissions: { agent: "seer", text, script: (l, base) => [...message(l, base), says(WORDS[l].end)], until: ended, steps: [["true", "location.hash = '#/permissions'"], ["document.querySelector('[data-testid=audit-row]')", ""]] },
  asked: { agent: "seer", text, script: message, until: asks, steps: [["document.querySelector('.card-values')", ""]] },
  values: { agent: "seer", text, script: values, until: ended, steps: [["document.querySelectorAll('[data-testid=action-values]').length >= 3", ""]] },
  values_top: { agent: "seer", text, script: values, until: ended, steps: [["document.querySelectorAll('[data-testid=action-values]').length >= 3", "document.querySelector('.log').scrollTop = 1, document.querySelector('.log').scrollTop = 0"]] },
  task_menu: { agent: "browser", text, script: shop, until: ended, steps: menu },
  deleting: { agent: "browser", text, script: shop, until: ended, steps: [...menu, ["true", "document.querySelector('.row-menu .danger').click()"], ["document.activeElement.matches('[data-testid=ask-no]')", ""]] },
  agent_editor: { agent: "browser", text, script: shop, until: ended, steps: [["true", "location.hash = '#/agents/planner'"], ["document.querySelector('af-editor input')", ""]] },
  files_list: { agent: "write_file", input: (l) => ({ name: "a.txt", content: WORDS[l].done, locale: l }), script: () => [], until: ended, steps: [["document.querySelector('af-files details')", "document.querySelector('af-files details').open = true"]] },
  taken_over: { agent: "browser", text, script: (l, base) => [act("navigate", { url: `${base}/demo/?lang=${l}` }), act("need_user", { text: WORDS[l].city })], until: asks, steps: [["document.querySelector('[data-testid=card-take-over]')", "document.querySelector('[data-testid=card-take-over]').click()"], ["document.querySelector('[data-in-control]')", ""]] },
  waiting: { agent: "agent_orchestrate", input: planners, script: (l) => [plan(items(l)), plan(items(l)), plan(items(l))], until: ({ questions }) => questions.length === 3, steps: [["true", "location.hash = '#/new'"], ["document.querySelectorAll('[data-testid=waiting-item]').length === 3", ""]] },
  waiting_one: { agent: "saver", text, script: (l) => [act("ask_user", { question: WORDS[l].city, answer_key: "city", options: WORDS[l].cities })], until: asks, steps: [["true", "location.hash = '#/new'"], ["document.querySelector('[data-testid=waiting-item]')", ""]] },
  plan: { agent: "browser", text, script: (l, base) => inTheShop(l, base, [thinks(WORDS[l])]), until: running, steps: [[shown, fold], [row(2), ""]] },
  evidence: { agent: "browser", text, script: (l, base) => inTheShop(l, base, [thinks(WORDS[l])]), until: running, steps: [[shown, fold], [row(1), `${row(1)}.click(), ${row(1)}.focus()`], ["document.querySelector('.evidence-picture img')?.complete", ""]] },
  thoughts: { agent: "browser", text, script: (l, base) => inTheShop(l, base, [thinks(WORDS[l])]), until: running, steps: [["document.querySelector('.thoughts-fold summary, details.behind summary')", "document.querySelectorAll('.thoughts-fold details, details.behind').forEach((one) => { one.open = true; })"]] },
  approve: { agent: "planner", text, script: (l) => [plan(items(l))], until: asks, steps: [["document.querySelector('[data-testid=plan-change]')", ""]] },
  editing: { agent: "planner", text, script: (l) => [plan(items(l))], until: asks, steps: [["document.querySelector('[data-testid=plan-change]')", "document.querySelector('[data-testid=plan-change]').click()"], ["document.querySelector('.plan-form')", ""]] },
  editing_empty: { agent: "planner", text, script: (l) => [plan(items(l))], until: asks, steps: [["document.querySelector('[data-testid=plan-change]')", "document.querySelector('[data-testid=plan-change]').click()"], ["document.querySelector('.plan-form')", "document.querySelector('.plan-add').click()"], ["document.querySelector('.plan-row-edit:nth-child(6)')", "document.querySelector('[data-testid=plan-save]').click()"], ["document.querySelector('.plan-fault') && document.activeElement.matches('[aria-invalid]')", ""]] },
  editing_live: { agent: "browser", text, script: (l, base) => inTheShop(l, base, [thinks(WORDS[l])]), until: running, steps: [["document.querySelector('.plan-edit')", "document.querySelector('.plan-edit').click()"], ["document.querySelector('.plan-form')", "((field) => { field.value = ''; field.dispatchEvent(new Event('input', { bubbles: true })); })(document.querySelectorAll('[data-testid=plan-text]')[1]), document.querySelector('[data-testid=plan-add]').click()"], ["true", "document.querySelector('[data-testid=plan-save]').click()"], ["document.querySelector('.plan-fault')", "document.querySelector('.plan-fault').scrollIntoView({ block: 'center' })"]] },
  editing_asked: { agent: "browser", text, script: (l, base) => inTheShop(l, base, [act("ask_user", { question: WORDS[l].city, answer_key: "city", options: WORDS[l].cities })]), until: asks, steps: [["document.querySelector('.plan-edit')", "document.querySelector('.plan-edit').click()"], ["document.querySelector('.plan-form')", ""]] },
  editing_unfolded: { agent: "browser", text, script: (l, base) => inTheShop(l, base, [act("ask_user", { question: WORDS[l].city, answer_key: "city", options: WORDS[l].cities })]), until: asks, steps: [["document.querySelector('.plan-edit')", "document.querySelector('.plan-edit').click()"], ["document.querySelector('.plan-form')", "document.querySelector('.card-fold').click()"]] },
  tasks: {
    agent: "master", text, until: ({ tasks, status }) => status === "waiting" && tasks.filter((task) => task.status === "running").length === 2,
    script: (l) => {
      const { tasks: [report, price, links, sending], begun } = WORDS[l];
      const actions = [begins("links", links, "status_message", null), begins("report", report, "progress_bar", 40), begins("price", price, "status_message", null), begins("sending", sending, "progress_bar", 30, "report")];
      return [turn({ status: "TASK_STARTED", stop: true, response: begun, actions }), turn({ status: "EXECUTING", stop: true, response: WORDS[l].done })];
    },
    steps: [["document.querySelectorAll('.task').length >= 3", ""]],
  },
  calls: { agent: "caller", text, script: (l) => [act("echo", { text: WORDS[l].done }), act("read_file", { name: "nope.txt" }), act("breaks", {}), act("slow", { what: WORDS[l].tasks[2] }), says(WORDS[l].end)], until: ended, steps: [["document.querySelectorAll('[data-kind=call]').length === 4", "document.querySelectorAll('[data-kind=call] > .entry-body > details').forEach((one, at) => { one.open = at === 1; })"]] },
  calling: { agent: "caller", text, script: (l) => [act("echo", { text: WORDS[l].done }), act("slow", { what: WORDS[l].tasks[0] })], until: running, steps: [["document.querySelectorAll('[data-kind=call]').length === 2", ""]] },
  file_asked: { agent: "write_file", input: (l) => ({ name: "a.txt", content: WORDS[l].done, locale: l }), script: () => [], until: asks, steps: [["document.querySelector('.card-values')", ""]] },
  file_lacking: { agent: "read_file", input: (l) => ({ name: "nope.txt", locale: l }), script: () => [], until: ended, steps: [["document.querySelector('[data-testid=broke]')", ""]] },
  no_host: { agent: "browser", text: { uk: "відкрий no-such-host.invalid", en: "open no-such-host.invalid" }, script: (l) => [act("navigate", { url: "http://no-such-host.invalid/lamps" }), says(WORDS[l].no)], until: ended, steps: [["document.querySelector('af-live[data-mode=still]')", ""]] },
  question: { agent: "saver", text, script: (l) => [act("ask_user", { question: WORDS[l].city, answer_key: "city", options: WORDS[l].cities })], until: asks, steps: [["document.querySelector('.card-options')", ""]] },
  budget: { agent: "saver", text, script: () => [turn({ thoughts: [{ type: "PLAN", content: "…" }] }), turn({ thoughts: [{ type: "PLAN", content: "…" }] })], until: asks, steps: [["document.querySelector('.card [role=meter]')", ""]] },
  spent: { agent: "saver", text, script: () => [turn({ thoughts: [{ type: "PLAN", content: "…" }] }), turn({ thoughts: [{ type: "PLAN", content: "…" }] })], until: asks, steps: [["document.querySelector('.card [role=meter], .ended')", "document.querySelector('[data-testid=deny]')?.click()"], ["document.querySelector('.ended') && document.querySelector('[data-testid=why]')", ""]] },
  inside: { agent: "browser", text, script: (l, base) => inTheShop(l, base, [claims(3), judged(true, "80 ₴"), claims(4), judged(true, "✓"), claims(5), judged(true, "✓"), says(WORDS[l].end)]), until: ended, steps: [["document.querySelector('[data-testid=inside]:not([hidden])')", "document.querySelector('[data-testid=inside]').click()"], ["document.querySelector('.span-row')", ""]] },
  inside_call: { agent: "browser", text, script: (l, base) => inTheShop(l, base, [thinks(WORDS[l])]), until: running, steps: [["document.querySelector('[data-testid=inside]:not([hidden])')", "document.querySelector('[data-testid=inside]').click()"], ["document.querySelector('[data-group=call]')", "document.querySelector('[data-group=call]').click()"], ["document.querySelectorAll('[data-kind=call]')[1]", "document.querySelectorAll('[data-kind=call]')[1].click()"]] },
  orchestration: { agent: "agent_orchestrate", input: orders, script: () => [], until: ({ status }) => status !== "queued", steps: [["document.querySelector('[data-testid=inside]:not([hidden])')", "document.querySelector('[data-testid=inside]').click()"], ["document.querySelectorAll('.orch-step[data-state=succeeded]').length === 2", ""]] },
  orchestration_failed: { agent: "agent_orchestrate", input: failing, script: () => [], until: ended, steps: [["document.querySelector('[data-testid=orch-errors]')", ""]] },
  orchestration_none: { agent: "agent_orchestrate", input: unknown, script: () => [], until: ended, steps: [["document.querySelector('[data-testid=orch-errors]')", ""]] },
  over: { agent: "browser", text, script: (l, base) => inTheShop(l, base, [claims(3), judged(true, "80 ₴"), claims(4), judged(true, "✓"), claims(5), judged(true, "✓"), says(WORDS[l].end)]), until: ended, steps: [[shown, fold], [row(2), `${row(2)}.click()`]] },
};
