// Two custom elements with open shadow roots. Each sets a hidden field of the form it stands in,
// so that the form works without them too (the field has a default).

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  :host { display: block; margin: 0 0 1rem; font: inherit; }
  fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .5rem; }
  legend { padding: 0; margin-bottom: .3rem; font-weight: 600; }
  label { position: relative; display: inline-flex; align-items: center; justify-content: center; cursor: pointer; }
  input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
  .star { width: 2.2rem; height: 2.2rem; font-size: 1.7rem; line-height: 1; color: var(--line-strong); }
  .star.lit { color: var(--amber-deep); }
  .swatch { gap: .45rem; padding: .35rem .8rem .35rem .4rem; border: 1px solid var(--line-strong); border-radius: 999px; }
  .swatch i { width: 1.4rem; height: 1.4rem; border-radius: 50%; border: 1px solid var(--line-strong); }
  .swatch:has(:checked) { outline: 2px solid var(--amber-deep); background: var(--amber-wash); }
  label:has(:focus-visible) { outline: 3px solid var(--amber-deep); outline-offset: 2px; border-radius: 6px; }
`);

class Choice extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    const set = document.createElement("fieldset");
    const legend = document.createElement("legend");
    legend.textContent = this.getAttribute("label");
    set.append(legend, ...this.labels());
    root.append(set);
    set.addEventListener("change", (event) => this.choose(event.target.value));
    this.choose(this.hidden_field.value);
  }

  get hidden_field() {
    return this.closest("form").elements[this.getAttribute("field")];
  }

  option(value, name, look) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    Object.assign(input, { type: "radio", name: "choice", value });
    input.setAttribute("aria-label", name);
    label.append(input, ...look);
    return label;
  }

  choose(value) {
    this.hidden_field.value = value;
    for (const input of this.shadowRoot.querySelectorAll("input")) input.checked = input.value === value;
  }
}

class Stars extends Choice {
  labels() {
    return [1, 2, 3, 4, 5].map((n) => {
      const label = this.option(String(n), this.getAttribute("option").replace("{n}", n), ["★"]);
      label.className = "star";
      return label;
    });
  }

  choose(value) {
    super.choose(value);
    this.shadowRoot.querySelectorAll("label").forEach((label, at) => label.classList.toggle("lit", at < Number(value)));
  }
}

const CORDS = { amber: "#e0a030", graphite: "#3b3f4a", linen: "#e6dcc8", mint: "#7fb8a2" };

class Cord extends Choice {
  labels() {
    return this.getAttribute("options").split("|").map((pair) => {
      const [key, name] = pair.split("=");
      const dot = document.createElement("i");
      dot.style.background = CORDS[key];
      const label = this.option(key, name, [dot, name]);
      label.className = "swatch";
      return label;
    });
  }
}

customElements.define("svitlo-stars", Stars);
customElements.define("svitlo-cord", Cord);
