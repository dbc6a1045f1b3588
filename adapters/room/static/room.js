// The room's one script. Every page works without it; with it a debate's page follows the debate,
// forms answer in place, and times are the reader's own.
"use strict";

const byId = (id) => document.getElementById(id);
const token = document.querySelector("meta[name=csrf]").content;
const policy = window.trustedTypes
  ? trustedTypes.createPolicy("room", { createHTML: (html) => html })
  : { createHTML: (html) => html };

function elements(html) {
  const made = document.createElement("template");
  made.innerHTML = policy.createHTML(html);
  return made.content;
}

// Times and clocks

const { lang } = document.documentElement;
const words = document.body.dataset; // this script's own texts, in the page's language
const relative = new Intl.RelativeTimeFormat(lang);
const stamp = new Intl.DateTimeFormat(lang, {
  year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short",
});

function distance(date) {
  const passed = Math.floor((Date.now() - date) / 1000);
  if (passed < 0 || passed >= 7 * 86400) return "";
  for (const [length, name] of [[86400, "day"], [3600, "hour"], [60, "minute"]]) {
    const many = Math.floor(passed / length);
    if (many) return relative.format(-many, name);
  }
  return words.now;
}

// What is young is told by its distance, as in the list; the exact time is its title.
function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    const exact = stamp.format(at);
    const far = distance(at);
    time.title = far || time.classList.contains("ago") ? exact : time.title || time.textContent;
    if (far || !time.classList.contains("ago")) time.textContent = far || exact;
  }
}

function lasted(seconds) {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

function tick() {
  for (const clock of document.querySelectorAll(".ticking")) {
    const since = Math.floor((Date.now() - new Date(clock.dataset.since)) / 1000);
    clock.textContent = lasted(Math.max(0, since));
  }
}

// Forms that are answered in place

function tell(form, text, ok) {
  const beside = form.closest(".ballot") || form; // below all buttons of a row, not between two
  let answer = beside.querySelector("output");
  if (!answer) {
    answer = document.createElement("output");
    beside.append(answer);
  }
  answer.className = ok ? "" : "bad";
  answer.textContent = text.replaceAll("`", "");
}

async function send(event) {
  const form = event.target;
  if (form.dataset.sure && !confirm(form.dataset.sure)) {
    event.preventDefault();
    return;
  }
  if (!("live" in form.dataset)) return;
  event.preventDefault();
  const button = event.submitter || form.querySelector("button");
  button.disabled = true;
  try {
    const answer = await fetch(form.getAttribute("action"), {
      method: "POST",
      body: new URLSearchParams(new FormData(form)),
      headers: { Accept: "application/json", "X-Token": token },
    });
    const said = await answer.json();
    tell(form, said.text, said.ok);
    if (!said.ok) return;
    form.querySelectorAll("textarea").forEach((box) => (box.value = ""));
    const challenge = form.querySelector("[name=action]")?.value === "challenge";
    if (challenge && page?.dataset.link !== "open") location.reload(); // a finished debate goes on
  } catch {
    tell(form, words.away, false);
  } finally {
    button.disabled = false;
  }
}

// A debate that is followed

function kept(old) {
  // What a reader has typed, opened or put the focus on outlives the piece that is replaced.
  const opened = [...old.querySelectorAll("details")].map((box) => box.open);
  const typed = [...old.querySelectorAll("textarea, select")].map((box) => box.value);
  const focus = old.contains(document.activeElement)
    ? [...old.querySelectorAll("*")].indexOf(document.activeElement)
    : -1;
  return (fresh) => {
    fresh.querySelectorAll("details").forEach((box, n) => (box.open = Boolean(opened[n])));
    fresh.querySelectorAll("textarea, select").forEach((box, n) => {
      if (typed[n]) box.value = typed[n];
    });
    if (focus >= 0) fresh.querySelectorAll("*")[focus]?.focus({ preventScroll: true });
  };
}

function show([id, html, parent, element, after, whole]) {
  const holder = byId(element || id);
  if (!html && !parent) {
    holder?.remove();
    return;
  }
  if (!holder) {
    const made = elements(whole).firstElementChild;
    localTimes(made);
    heard(made);
    made.classList.add("fresh");
    place(made, parent, after);
    return;
  }
  const old = html && byId(id);
  if (old) {
    const made = elements(html).firstElementChild;
    localTimes(made);
    heard(made);
    copies(made);
    const restore = kept(old);
    old.replaceWith(made);
    restore(made);
    if (made.dataset.tab) document.title = `${made.dataset.tab} · Debatebot`;
  }
  if (!element) return;
  const stands = holder.parentElement.id === parent;
  if (!stands || (holder.previousElementSibling?.id || "") !== after) place(holder, parent, after);
}

function place(element, parent, after) {
  const before = after && byId(after);
  if (before) before.after(element);
  else byId(parent)?.prepend(element);
}

const boxes = (root, turn) => root.querySelectorAll(`[data-words="${CSS.escape(turn)}"]`);

const spoken = new Map(); // what each speaker has said so far, also before there is a box for it

function hear(said) {
  for (const [turn, [at, text]] of Object.entries(said)) {
    const before = spoken.get(turn) ?? "";
    if (before.length < at) continue;
    spoken.set(turn, before.slice(0, at) + text);
    for (const box of boxes(document, turn)) box.textContent = spoken.get(turn);
  }
}

function heard(made) {
  for (const box of made.querySelectorAll("[data-words]")) {
    const said = spoken.get(box.dataset.words) ?? "";
    if (said.length > box.textContent.length) box.textContent = said;
  }
}

function follow(page) {
  let count = Number(page.dataset.count);
  let waiting = 1000;
  const state = (text) => {
    page.dataset.link = text;
    byId("link").hidden = text === "open";
  };
  const note = (text) => {
    byId("note").textContent = text;
    byId("note").hidden = !text;
  };
  const connect = () => {
    const source = new EventSource(`${page.dataset.live}?after=${count}`);
    source.onopen = () => {
      waiting = 1000;
      state("open");
      note("");
    };
    source.addEventListener("note", (event) => note(JSON.parse(event.data).text));
    source.addEventListener("parts", (event) => {
      const news = JSON.parse(event.data);
      news.parts.forEach(show);
      if (byId("findings").children.length) byId("findings-section").hidden = false;
      if (news.say) byId("say").textContent = news.say;
      count = Number(event.lastEventId);
      page.dataset.count = count;
      tick();
    });
    source.addEventListener("words", (event) => hear(JSON.parse(event.data)));
    source.addEventListener("done", () => {
      source.close();
      page.dataset.link = "done";
    });
    source.onerror = () => {
      // The browser tries again by itself only where the answer broke off; never where it was refused.
      state("lost");
      if (source.readyState === EventSource.CLOSED) {
        source.close();
        setTimeout(connect, waiting);
        waiting = Math.min(waiting * 2, 15000);
      }
    };
    addEventListener("pagehide", () => source.close(), { once: true });
  };
  connect();
}

// A file that is dropped on the form

function takeFiles(form) {
  const field = form.querySelector("input[type=file]");
  const over = (on) => form.classList.toggle("over", on);
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    over(true);
  });
  form.addEventListener("dragleave", () => over(false));
  form.addEventListener("drop", (event) => {
    over(false);
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    field.files = event.dataTransfer.files;
    field.focus();
  });
}

// What a text on the start page is taken for

const LONGEST_TYPED = 20000;

function look(box) {
  const form = box.form;
  const place = form.querySelector("[data-taken]");
  let waiting = 0;
  const ask = async () => {
    const body = new FormData();
    for (const [name, value] of new FormData(form)) {
      if (["token", "once", "template", "attached_name"].includes(name)) body.append(name, value);
    }
    body.append("target", box.value.slice(0, LONGEST_TYPED / 2));
    body.append("do", "look");
    const attached = form.querySelector("[name=attached]");
    const file = form.querySelector("input[type=file]").files[0];
    if (file && file.size) body.append("file", new File([file.slice(0, 60000)], file.name));
    else if (attached) body.append("attached", attached.value.slice(0, 60000));
    const answer = await fetch("/new", { method: "POST", body, headers: { Accept: "application/json", "X-Token": token } });
    if (!answer.ok || !(answer.headers.get("Content-Type") || "").includes("json")) return;
    const { text } = await answer.json();
    place.textContent = text;
    place.parentElement.hidden = !text;
  };
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 250);
  };
  form.addEventListener("input", soon);
  form.addEventListener("change", soon);
  box.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text");
    if (text.length < LONGEST_TYPED) return;
    event.preventDefault(); // longer than the field takes: it comes as a file
    const files = new DataTransfer();
    files.items.add(new File([text], "pasted.txt", { type: "text/plain" }));
    form.querySelector("input[type=file]").files = files.files;
    soon();
  });
}

// Keys

function step(by) {
  const notes = [...document.querySelectorAll("[data-step]")];
  if (!notes.length) return;
  const at = notes.indexOf(document.activeElement.closest("[data-step]"));
  const to = at < 0 ? (by > 0 ? 0 : notes.length - 1) : Math.min(Math.max(at + by, 0), notes.length - 1);
  notes[to].closest("details")?.setAttribute("open", "");
  notes[to].focus({ preventScroll: true });
  notes[to].scrollIntoView({ block: "center" });
}

// What is copied with one press

function copies(root) {
  root.querySelectorAll("[data-copy]").forEach((button) => (button.hidden = !navigator.clipboard));
}

async function copy(event) {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const from = byId(button.dataset.copy);
  const text = from ? from.value || from.textContent : location.origin + location.pathname;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = words.copied;
  } catch {
    button.textContent = words.barred;
  }
}

function pressed(event) {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
  if (event.key === "/") {
    const search = document.querySelector("input[type=search]");
    if (!search) return;
    event.preventDefault();
    search.focus();
    search.select();
  }
  if (event.key === "c" && document.querySelector(".find, .narrow-by")) location.assign("/new");
}

localTimes(document);
tick();
setInterval(tick, 1000);
setInterval(() => localTimes(document), 60000);
document.addEventListener("submit", send);
document.addEventListener("keydown", (event) => {
  const sends = event.key === "Enter" && (event.ctrlKey || event.metaKey);
  if (sends && event.target.matches("textarea")) event.target.form?.requestSubmit();
});
document.addEventListener("keydown", pressed);
document.addEventListener("click", copy);
copies(document);
document.querySelectorAll("textarea[data-look]").forEach(look);
document.querySelectorAll("form[data-drop]").forEach(takeFiles);
const page = document.querySelector("main[data-live]");
if (page) follow(page);
