// Vaadin, Ionic and Fluent's web components: elements with shadow trees.
import "@vaadin/combo-box";
import "@vaadin/date-picker";
import "@vaadin/menu-bar";
import "@vaadin/grid";
import "@vaadin/grid/vaadin-grid-selection-column.js";
import { defineCustomElement as button } from "@ionic/core/components/ion-button.js";
import { defineCustomElement as toggle } from "@ionic/core/components/ion-toggle.js";
import { defineCustomElement as checkbox } from "@ionic/core/components/ion-checkbox.js";
import { defineCustomElement as range } from "@ionic/core/components/ion-range.js";
import { defineCustomElement as input } from "@ionic/core/components/ion-input.js";
import { defineCustomElement as segment } from "@ionic/core/components/ion-segment.js";
import { defineCustomElement as segmentButton } from "@ionic/core/components/ion-segment-button.js";
import { defineCustomElement as searchbar } from "@ionic/core/components/ion-searchbar.js";
import { defineCustomElement as item } from "@ionic/core/components/ion-item.js";
import { defineCustomElement as label } from "@ionic/core/components/ion-label.js";
import { initialize } from "@ionic/core/components";
import "@ionic/core/css/core.css";
import { allComponents, provideFluentDesignSystem } from "@fluentui/web-components";

initialize({ mode: "md", animated: false });
for (const define of [button, toggle, checkbox, range, input, segment, segmentButton, searchbar, item, label]) define();
provideFluentDesignSystem().register(allComponents);
