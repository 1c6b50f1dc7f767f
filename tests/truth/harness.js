// Replacement of the test harnesses that pages of web-platform-tests load: it only notes what they expect.
{
  window.promise_test = window.test = window.setup = () => {};
  const namedRoles = (roles) => addEventListener("DOMContentLoaded", () => {
    for (const role of roles) document.body.insertAdjacentHTML("beforeend", `<div role="${role}" data-expectedrole="${role}">x</div>`);
  });
  window.AriaUtils = window.HTMLAAMUtils = new Proxy({}, {
    get: (_, name) => (name === "assignAndVerifyRolesByRoleNames" ? namedRoles : () => {}),
  });
  // Older cases state the name in a list of steps.
  window.ATTAcomm = class {
    constructor({ steps }) {
      addEventListener("DOMContentLoaded", () => {
        for (const { element, test } of steps) for (const [kind, what, how, wanted] of test.ATK ?? []) {
          if (kind !== "property" || what !== "name" || how !== "is" || typeof wanted !== "string") continue;
          document.getElementById(element)?.setAttribute("data-expectedlabel", wanted);
        }
      });
    }
  };
}
