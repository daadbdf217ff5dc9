import { describe, expect, test } from 'vitest';
import { publishedText } from '../../testing/published.js';

/**
 * Words that begin a noun clause or a fragment. A text must begin with an article, a noun, a verb, or "Whether"
 * instead.
 */
const NOUN_CLAUSE_WORDS = wordsOf(
  'what when how where who whom whose which why of as by with for from in on until since only also none null absent once newest oldest those that not to',
);
const PRONOUNS = wordsOf('it its they them their he she him her his this these those that one both others');
/** Words that are pronouns before a verb and determiners before a noun. */
const DEMONSTRATIVES = wordsOf('this that these those both others');
const VERBS = wordsOf(
  'is are was were has have had can may must will does do means shows says tells applies happens begins ends',
);
const IMPERATIVES = wordsOf(
  'accept analyze assign cancel change check connect correct count create delete disable disconnect dismiss download export invite list read receive notify record release remove rename render reserve restore revoke rotate scan send set sign start submit test update',
);

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** Returns the words of a sentence in lower case. Code counts as one word, so that its text is not checked as prose. */
function wordsIn(sentence: string): string[] {
  return sentence.toLowerCase().match(/[\p{L}\p{N}_'’`*./-]+/gu) ?? [];
}

/**
 * Returns the sentences of a paragraph. An abbreviation or a path does not end a sentence, because no capital letter
 * follows.
 */
function sentencesOf(paragraph: string): string[] {
  return paragraph.split(/(?<=[.:;?!])\s+(?=[\p{Lu}`[])/u);
}

/** Returns the faults of a description in Markdown, one for each broken rule. */
function faultsOfDescription(description: string): string[] {
  const paragraphs = description.split(/\n\s*\n/).filter((paragraph) => !paragraph.startsWith('#'));
  return paragraphs.flatMap((paragraph) => {
    const prose = paragraph.trim();
    const sentences = sentencesOf(prose);
    const [first = ''] = wordsIn(prose);
    return [
      ...(prose.endsWith('.') ? [] : ['has no full stop']),
      ...(wordsIn(prose).length < 2 ? ['is a single word'] : []),
      ...(NOUN_CLAUSE_WORDS.has(first) || PRONOUNS.has(first) ? [`begins with "${first}"`] : []),
      ...sentences.flatMap(faultsOfSentence),
    ];
  });
}

function faultsOfSentence(sentence: string): string[] {
  const [first = '', second = ''] = wordsIn(sentence);
  const isBare = DEMONSTRATIVES.has(first) ? VERBS.has(second) : PRONOUNS.has(first);
  return [
    ...(isBare ? [`"${sentence}" has a pronoun as its subject`] : []),
    // The test refuses fragments such as "Null: any amount." and "PASS: pay.", but accepts a list with a title, such as
    // "Guides: ...".
    ...(/^(?:[A-Z][A-Z_]+|Null|Absent|Empty|None|True|False):/.test(sentence) ? [`"${sentence}" is a fragment`] : []),
  ];
}

function faultsOfSummary(summary: string): string[] {
  const words = wordsIn(summary);
  return [
    ...(summary.endsWith('.') ? ['has a full stop'] : []),
    ...(IMPERATIVES.has(words[0] ?? '') ? [] : [`begins with "${words[0]}", which is no known imperative`]),
    ...(words.length < 2 ? ['has no object'] : []),
    ...(words.some((word) => word === 'what' || word === 'it') ? ['has a noun clause or a pronoun as its object'] : []),
  ];
}

/** Yields the texts of the published description. Examples are data and are not checked. */
function* textsOf(node: unknown): Generator<{ kind: 'description' | 'summary'; text: string }> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, child] of Object.entries(node as Record<string, unknown>)) {
    if (name === 'example' || name === 'examples') continue;
    if ((name === 'description' || name === 'summary') && typeof child === 'string') yield { kind: name, text: child };
    else yield* textsOf(child);
  }
}

const texts = [...textsOf(JSON.parse(publishedText))];
const distinct = (kind: string): string[] => [
  ...new Set(texts.filter((each) => each.kind === kind).map(({ text }) => text)),
];

describe('the published texts', () => {
  test('are found, the introduction included', () => {
    expect(distinct('description').length).toBeGreaterThan(600);
    expect(distinct('description')[0]).toContain('## Authentication');
    expect(distinct('summary').length).toBeGreaterThan(80);
  });

  test('describe their subject in whole sentences, with a full stop and without bare pronouns', () => {
    const faulty = distinct('description').map((text) => ({ text, faults: faultsOfDescription(text) }));
    expect(faulty.filter(({ faults }) => faults.length > 0)).toEqual([]);
  });

  test('summarize each operation by an imperative and its object, without a full stop', () => {
    const faulty = distinct('summary').map((text) => ({ text, faults: faultsOfSummary(text) }));
    expect(faulty.filter(({ faults }) => faults.length > 0)).toEqual([]);
  });
});

describe('the rules', () => {
  test.each([
    ['a noun clause', 'What has to be changed.'],
    ['a clause of time', 'When it was created.'],
    ['a genitive without its noun', 'Of the original, in hexadecimal.'],
    ['a fragment that is glued with a colon', 'The least amount. Null: any amount.'],
    ['values that are glued to fragments', 'PASS: pay. REVIEW: somebody should look at it first.'],
    ['a possessive without its noun', 'Its id in the ERP.'],
    ['a bare pronoun in a later sentence', 'The signing secret. It is never shown again.'],
    ['a demonstrative without a noun', 'The old secret ends. This happens at once.'],
    ['a bare pronoun in a later paragraph', 'The new run.\n\nThey are listed.'],
    ['an order without its noun', 'Newest first.'],
    ['a single word', 'Stored.'],
    ['no full stop', 'The id of the invoice'],
    ['no full stop in an earlier paragraph', 'The new run\n\nThe request requires no API key.'],
  ])('refuse a description with %s', (_, text) => {
    expect(faultsOfDescription(text)).not.toEqual([]);
  });

  test.each([
    'The time when the synchronisation run ended, or null if the run is RUNNING.',
    'Whether the webhook is paused.',
    'The minimum amount. Null if there is no minimum.',
    'The scopes of the API key. This list is never empty.',
    'Returns the file. If there is none, the status is 404.',
    '# Title\n\nThe API.\n\n## Part\n\nLists return pages.',
  ])('accept the description "%s"', (text) => {
    expect(faultsOfDescription(text)).toEqual([]);
  });

  test.each([
    ['a full stop', 'Test an ERP connection.'],
    ['a noun in place of the verb', 'The ERP connection'],
    ['an adverb and no object', 'Synchronise now'],
    ['a verb and no object', 'Synchronise'],
    ['a noun clause as its object', 'Read what happened to a finding'],
    ['a bare pronoun', 'Store the token, or update it'],
  ])('refuse a summary with %s', (_, text) => {
    expect(faultsOfSummary(text)).not.toEqual([]);
  });
});
