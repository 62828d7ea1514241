/** `attack` and `gate` of python/robust_text.py, as a notebook or pytest calls them: robust asks the function of the calling process. */
import { beforeAll, expect, test } from 'vitest';
import { pythonWith, script } from './pythons.js';

const VICTIM = `
import glob, json, os, stat, sys, tempfile, threading
tempfile.tempdir = tempfile.mkdtemp()
from robust_text import RobustError, attack, gate
here = threading.current_thread()
seen = set()
def classify(texts):
    assert threading.current_thread() is here
    print("not a line of the document")
    for path in glob.glob(os.path.join(tempfile.gettempdir(), "robust-*", "*.jsonl")):
        seen.add((path, stat.S_IMODE(os.stat(path).st_mode)))
    bad = [sum(word in text.lower() for word in ("bad", "awful", "dull")) for text in texts]
    return [{"neg": 0.93, "pos": 0.07} if count else {"neg": 0.11, "pos": 0.89} for count in bad]
data = [(f"{how} {what}, as {whom} told me again and again", label)
        for whom in ("Anna", "my sister", "the waiter") for what in ("film", "meal", "hotel", "day", "book")
        for how, label in (("A bad", "neg"), ("An awful", "neg"), ("A good", "pos"), ("A fine", "pos"))]
`;

/** What a script prints last, as JSON. */
const outcome = (code: string): Record<string, unknown> =>
  JSON.parse(
    script('python3', VICTIM + code)
      .trim()
      .split('\n')
      .at(-1) as string,
  );

let attacked: Record<string, unknown>;
beforeAll(() => {
  attacked = outcome(`
report = attack(classify, data, attack="pruthi", num_examples=60, quiet=True)
rows = report.examples if isinstance(report.examples, list) else report.examples.to_dict("records")
print(json.dumps({
    "headline": report.headline, "repr": repr(report), "html": report._repr_html_(),
    "accuracy": report.accuracy_under_attack, "rate": report.attack_success_rate,
    "labels": sorted({row["label"] for row in rows}), "rows": len(rows), "model": report.result["model"]["name"],
    "modes": [mode for _, mode in seen], "left": [path for path, _ in seen if os.path.exists(path)],
}))`);
});

test('an attack reports what robust found, with the labels of the function', () => {
  expect(attacked).toMatchObject({ rows: 60, labels: ['neg', 'pos'], model: 'classify' });
  expect(attacked.accuracy).toBeLessThan(1);
  expect(attacked.rate).toBeCloseTo(1 - (attacked.accuracy as number));
  expect(String(attacked.repr).split('\n')[0]).toBe(attacked.headline);
});

test('a notebook shows the report without letting it out of its frame', () => {
  expect(attacked.html).toMatch(/^<iframe srcdoc="&lt;!doctype html&gt;[^"]*" sandbox="allow-scripts"/i);
});

test('its data are in a file that only the owner reads, and which is gone', () => {
  expect(attacked).toMatchObject({ modes: [0o600], left: [] });
});

test('the same seed, the same report', () => {
  const again = outcome(`
report = attack(classify, data, attack="pruthi", num_examples=60, quiet=True)
print(json.dumps({"headline": report.headline}))`);
  expect(again.headline).toBe(attacked.headline);
});

test('a gate is true or false, and says why in an assert', () => {
  const judged = outcome(`
found = {}
for limit in ("<= 95 %", "<= 1 %"):
    judged = gate(classify, data, require=[f"pruthi.attackSuccessRate {limit}"], attack="pruthi", num_examples=60, quiet=True)
    found[limit] = {"passed": bool(judged), "repr": repr(judged), "verdict": judged.verdict}
print(json.dumps(found))`);
  expect(judged).toEqual({
    '<= 95 %': { passed: true, repr: 'Gate passed', verdict: 'passed' },
    '<= 1 %': {
      passed: false,
      repr: expect.stringMatching(
        /^Gate failed; pruthi\.attackSuccessRate <= 1 %: [\d.]+ % \([\d.]+-[\d.]+, n = 60\)$/,
      ),
      verdict: 'failed',
    },
  });
});

test('errors of robust have their code; what the function raised is the cause', () => {
  const raised = outcome(`
calls = 0
def later(texts):
    global calls
    calls += 1
    if calls > 1:
        raise ValueError("later")
    return classify(texts)
found = []
for victim, flags in ((classify, {"suite": "nosuch"}), (later, {"attack": "pruthi"}), (classify, {"no_such_flag": 1})):
    try:
        attack(victim, data, quiet=True, **flags)
    except RobustError as error:
        found.append([error.code, error.exit, bool(error.hint), repr(error.__cause__)])
try:
    attack(lambda texts: 1 / 0, data, labels=["neg", "pos"])
except ZeroDivisionError:
    found.append("at once")
os.environ["ROBUST_BIN"] = sys.executable
try:
    attack(classify, data, quiet=True)
except RobustError as error:
    found.append(error.code)
print(json.dumps({"found": found}))`);
  expect(raised.found).toEqual([
    ['SUITE_NOT_FOUND', 2, true, 'None'],
    [expect.any(String), expect.any(Number), true, "ValueError('later')"],
    ['FLAG_NOT_FOUND', 2, true, 'None'],
    'at once',
    'ENDED_EARLY',
  ]);
});

test('a model by its name, and data by path or as dicts', () => {
  const { names, examples } = outcome(`
with open("dev.csv", "w") as file:
    file.write("text,label\\nA bad film,NEGATIVE\\nA good film,POSITIVE\\n")
rows = [{"text": "A bad film", "label": "NEGATIVE"}, {"text": "A good film", "label": "POSITIVE"}]
reports = [attack("bert-mini", given, attack="pruthi", quiet=True) for given in ("dev.csv", rows)]
print(json.dumps({
    "names": [report.result["model"]["name"] for report in reports],
    "examples": [report.result["data"]["examples"] for report in reports],
}))`);
  expect({ names, examples }).toEqual({ names: ['bert-mini', 'bert-mini'], examples: [2, 2] });
});

const pandas = pythonWith('pandas');
test.skipIf(pandas === undefined)('a frame in, a frame out (needs pandas, which comes beside torch)', () => {
  const printed = script(
    pandas as string,
    `${VICTIM}
import pandas
frame = pandas.DataFrame(data, columns=["text", "label"])
examples = attack(classify, frame, attack="pruthi", num_examples=4, quiet=True).examples
print(type(examples).__name__, len(examples), examples.label.iloc[0])`,
  );
  expect(printed.trim().split('\n').at(-1)).toBe('DataFrame 4 neg');
});

test('spans, numbers and sets of labels are attacked as such', () => {
  const { headlines } = outcome(`
import re
def tag(texts):
    return [[{"start": at.start(), "end": at.end(), "type": "NAME"} for at in re.finditer("Anna|Peter", text)] for text in texts]
letters = [{"text": f"\\U0001F600 {name} came.", "spans": [{"start": 2, "end": 2 + len(name), "type": "NAME"}]} for name in ("Anna", "Peter")]
numbers = [(f"a {word} text", length) for word, length in (("long", 1.1), ("short", 1.2))]
sets = [{"text": "an old text", "label": "stale"}, {"text": "a bad old text", "label": "rude,stale"}]
def number(texts):
    return [len(text) / 10 for text in texts]
def several(texts):
    return [[0.9 if word in text else 0.1 for word in ("bad", "old")] for text in texts]
print(json.dumps({"headlines": [
    attack(tag, letters, labels=["NAME"], attack="whole-case", quiet=True).headline,
    attack(number, numbers, task="regression", attack="pruthi", force=True, quiet=True).headline,
    attack(several, sets, labels=["rude", "stale"], task="multi-label", attack="pruthi", quiet=True).headline,
]}))`);
  const [tags, number, sets] = headlines as [string, string, string];
  // Offsets after an emoji: code points.
  expect(tags).toMatch(/^Entities found 100\.0 %/);
  expect(number).toMatch(/^Within [\d.]+ /);
  expect(sets).toMatch(/^True label found 100\.0 %/);
});

test('an interrupt ends robust and its files, and is raised', () => {
  const { interrupted, left } = outcome(`
import signal
def stop(texts):
    if len(texts) > 1 or "This is a sample." not in texts:
        signal.raise_signal(signal.SIGINT)
    return classify(texts)
interrupted = False
try:
    attack(stop, data, attack="pruthi", quiet=True)
except KeyboardInterrupt:
    interrupted = True
classify([])
print(json.dumps({"interrupted": interrupted, "left": [path for path, _ in seen if os.path.exists(path)]}))`);
  expect({ interrupted, left }).toEqual({ interrupted: true, left: [] });
});
