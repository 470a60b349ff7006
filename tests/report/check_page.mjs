// Checks a page and prints what it found as JSON: node check_page.mjs PAGE [BROWSER [layout]]
//   validator: messages of html-validate
//   views: by width and colour scheme, the violations that axe-core finds, what was requested, and
//          what sticks out; without a browser one view in jsdom, which lays nothing out
// With the word layout only what sticks out is looked for, in the light scheme.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { HtmlValidate } from "html-validate";

const [path, browserPath, only] = process.argv.slice(2);
const checksLayoutOnly = only === "layout";
const html = readFileSync(path, "utf-8");

async function validator() {
  const validate = new HtmlValidate({
    root: true,
    extends: ["html-validate:recommended"],
    // Pictures made of marks have their colours and places inline.
    rules: { "no-inline-style": "off" },
  });
  const report = await validate.validateString(html);
  return report.results.flatMap((one) =>
    one.messages.map((found) => `${found.ruleId} at line ${found.line}: ${found.message}`),
  );
}

const violations = (found) =>
  found.violations.map(
    (one) => `${one.id}: ${one.help}; ${one.nodes.length} times, as in ${one.nodes[0].html.slice(0, 200)}`,
  );

// What reaches beyond the page's width, and text of pictures that is cut or lies on other text.
function layout() {
  const wide = document.documentElement.clientWidth;
  const faults = [];
  if (document.documentElement.scrollWidth > wide) faults.push("the page scrolls sideways");
  for (const one of document.querySelectorAll("h1, h2, h3, h4, p, figure, svg, .scroll")) {
    const box = one.getBoundingClientRect();
    if (box.width && (box.right > wide + 1 || box.left < -1) && !one.closest(".skip") && !one.classList.contains("skip"))
      faults.push(`${one.tagName} reaches from ${box.left} to ${box.right} of ${wide}`);
  }
  for (const picture of document.querySelectorAll("figure svg")) {
    const name = picture.closest("figure").id;
    const frame = picture.getBoundingClientRect();
    const texts = [...picture.querySelectorAll("text")].filter((one) => one.textContent.trim());
    const boxes = texts.map((one) => one.getBoundingClientRect());
    boxes.forEach((box, i) => {
      if (box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2)
        faults.push(`${name}: "${texts[i].textContent.trim()}" is cut`);
      const turned = (texts[i].getAttribute("transform") ?? "").includes("rotate(-") ;
      for (let j = 0; j < i; j++) {
        const other = boxes[j];
        const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
        const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
        if (!turned && across > 2 && down > 4)
          faults.push(`${name}: "${texts[i].textContent.trim()}" lies on "${texts[j].textContent.trim()}"`);
      }
    });
  }
  return faults;
}

async function inBrowser() {
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath: browserPath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  const views = [];
  for (const width of [1440, 400]) {
    for (const colorScheme of checksLayoutOnly ? ["light"] : ["light", "dark"]) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      const requested = [];
      page.on("request", (request) => requested.push(request.url()));
      const address = pathToFileURL(path).href;
      await page.goto(address);
      // All of it, also what is folded.
      await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
      let found = { violations: [] };
      if (!checksLayoutOnly) {
        await page.evaluate(axe.source);
        found = await page.evaluate(() => globalThis.axe.run());
      }
      views.push({
        view: `${width} ${colorScheme}`,
        violations: violations(found),
        requested: requested.filter((one) => one !== address),
        faults: await page.evaluate(layout),
      });
      await page.close();
    }
  }
  await browser.close();
  return views;
}

async function inMemory() {
  const { JSDOM } = await import("jsdom");
  const { window } = new JSDOM(html, { runScripts: "outside-only" });
  window.eval(axe.source);
  const found = await window.axe.run(window.document, { rules: { "color-contrast": { enabled: false } } });
  return [{ view: "jsdom", violations: violations(found), requested: [], faults: [] }];
}

const views = browserPath ? await inBrowser() : await inMemory();
console.log(JSON.stringify({ validator: checksLayoutOnly ? [] : await validator(), views }, null, 1));
