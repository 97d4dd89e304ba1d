"use strict";
const element = (id) => document.getElementById(id);
const events = JSON.parse(element("events").textContent);
const {reviewer, study, storage} = document.body.dataset;
const choices = [...document.querySelectorAll(".choice")];
let ratings = {};
let place = 0;

function load() {
  try {
    ratings = JSON.parse(localStorage.getItem(storage)) ?? {};
    localStorage.setItem(storage, JSON.stringify(ratings));
  } catch {
    element("unsaved").hidden = false;
  }
}

function save() {
  try {
    localStorage.setItem(storage, JSON.stringify(ratings));
  } catch {
    element("unsaved").hidden = false;
  }
}

const given = (event) => ratings[event.event_id] ?? {rating: "", comment: ""};
const rated = () => events.filter((event) => given(event).rating).length;

function show(next) {
  place = Math.min(Math.max(next, 0), events.length - 1);
  const event = events[place];
  element("picture").src = event.picture;
  element("answer").textContent = event.answer;
  element("place").textContent = `Event ${place + 1} of ${events.length}, ${event.event_id}`;
  element("comment").value = given(event).comment;
  for (const choice of choices) choice.setAttribute("aria-pressed", choice.value === given(event).rating);
  element("previous").disabled = place === 0;
  element("next").disabled = place === events.length - 1;
  element("clear").disabled = !given(event).rating;
  count();
}

function count() {
  const done = rated();
  element("bar").value = done;
  element("count").textContent = done === events.length ? `All ${done} rated: export and hand in` : `${done} of ${events.length} rated`;
  element("open").disabled = done === events.length;
}

function keep(change) {
  ratings[events[place].event_id] = {...given(events[place]), ...change};
  save();
  count();
}

/* The first event without a rating after this one, from the start again if need be. */
function nextOpen() {
  const order = [...events.slice(place + 1), ...events.slice(0, place + 1)];
  const open = order.find((event) => !given(event).rating);
  return open ? events.indexOf(open) : place;
}

function rate(value) {
  keep({rating: value});
  show(nextOpen());
}

function quoted(text) {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv() {
  const rows = events.filter((event) => given(event).rating).map((event) => {
    const {rating, comment} = given(event);
    return [event.event_id, reviewer, rating, comment.replace(/\s+/g, " ").trim()];
  });
  return [["event_id", "reviewer", "rating", "comment"], ...rows].map((row) => row.map(quoted).join(",")).join("\n") + "\n";
}

function exportCsv() {
  const missing = events.length - rated();
  if (missing && !confirm(`${missing} of ${events.length} events have no rating yet. Export the others?`)) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csv()], {type: "text/csv"}));
  link.download = `${study}-${reviewer}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

for (const choice of choices) choice.addEventListener("click", () => rate(choice.value));
element("comment").addEventListener("input", (input) => keep({comment: input.target.value}));
element("previous").addEventListener("click", () => show(place - 1));
element("next").addEventListener("click", () => show(place + 1));
element("open").addEventListener("click", () => show(nextOpen()));
element("clear").addEventListener("click", () => {
  keep({rating: ""});
  show(place);
});
element("export").addEventListener("click", exportCsv);
element("form").addEventListener("submit", (submit) => submit.preventDefault());

const keys = {
  ArrowLeft: () => element("previous").click(),
  ArrowRight: () => element("next").click(),
  n: () => element("open").click(),
  c: () => element("comment").focus(),
  Delete: () => element("clear").click(),
};
document.addEventListener("keydown", (press) => {
  if (press.ctrlKey || press.metaKey || press.altKey) return;
  if (press.target === element("comment")) {
    if (press.key === "Escape") press.target.blur();
    return;
  }
  const choice = choices[Number(press.key) - 1];
  const action = choice ? () => rate(choice.value) : keys[press.key.length === 1 ? press.key.toLowerCase() : press.key];
  if (action) {
    press.preventDefault();
    action();
  }
});

/* Open with the event that the address names, as in page.html#0123456789abcdef, else with the first open one. */
function start() {
  const named = events.findIndex((event) => event.event_id === location.hash.slice(1));
  show(named >= 0 ? named : events.findIndex((event) => !given(event).rating));
}

load();
element("how").open = rated() === 0;
start();
addEventListener("hashchange", start);
