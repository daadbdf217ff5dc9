import { inflateSync } from 'node:zlib';
import type { SignatureReading, TamperSign } from '../reading.js';

/** What the bytes of a PDF tell about its history: revisions appended to it, and what its signature covers. */
export interface RevisionFacts {
  readonly signature: SignatureReading | null;
  readonly signs: readonly TamperSign[];
}

interface Revision {
  readonly end: number;
  /** The text of each object that the revision defines, without its stream. */
  readonly objects: ReadonlyMap<number, string>;
}

interface Signature {
  readonly coveredBytes: number;
  readonly coveredEnd: number;
  readonly isTimestamp: boolean;
}

const REVISIONS_MAX = 50;
const OBJECTS_MAX = 100_000;
const OBJECT_TEXT_MAX = 20_000;
const OBJECT_STREAM_BYTES_MAX = 8 * 1024 * 1024;
const OBJECT_STREAMS_MAX = 200;

/** Reads the history of the file from its raw bytes; never throws, whatever they are. */
export function readRevisions(bytes: Uint8Array): RevisionFacts {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const revisions = splitRevisions(file);
  const replaced = new Set<number>();
  const state = new Map<number, string>();
  const changes: { end: number; isContent: boolean; removesSignature: boolean }[] = [];
  for (const [index, revision] of revisions.entries()) {
    if (index > 0) {
      const contents = changedContents(state, revision);
      for (const object of contents.replaced) replaced.add(object);
      changes.push({
        end: revision.end,
        isContent: contents.replaced.length > 0 || contents.isExtended,
        removesSignature: removesSignature(state, revision),
      });
    }
    for (const [number, text] of revision.objects) state.set(number, text);
  }
  const signs: TamperSign[] =
    replaced.size === 0 ? [] : [{ kind: 'CONTENT_REPLACED', objects: [...replaced].slice(0, 20).map(String) }];
  return { signature: readSignature(file, revisions, changes), signs };
}

/** A linearised file has two cross-reference sections from the start; that is not an update. */
function splitRevisions(file: string): Revision[] {
  const ends = [...file.matchAll(/%%EOF/g)].map(({ index }) => index + 5).slice(0, REVISIONS_MAX);
  const isLinearised = /\/Linearized\b/.test(file.slice(0, 2_048));
  const kept = isLinearised && ends.length > 1 ? ends.slice(1) : ends;
  // Readers do without the mark at the end of the last revision.
  const last = kept.at(-1);
  if (last !== undefined && /\d\s+obj\b/.test(file.slice(last))) kept.push(file.length);
  let start = 0;
  return kept.map((end) => {
    const objects = readObjects(file.slice(start, end));
    start = end;
    return { end, objects };
  });
}

function readObjects(text: string): Map<number, string> {
  const objects = new Map<number, string>();
  let streams = 0;
  for (const match of text.matchAll(/(?:^|[\s>])(\d{1,8})\s+\d{1,5}\s+obj\b/g)) {
    if (objects.size >= OBJECTS_MAX) break;
    const start = match.index + match[0].length;
    const head = text.slice(start, start + OBJECT_TEXT_MAX);
    const body = head.slice(0, lengthOfHead(head));
    objects.set(Number(match[1]), body);
    if (/\/Type\s*\/ObjStm\b/.test(body) && streams < OBJECT_STREAMS_MAX) {
      streams += 1;
      const from = text.indexOf('stream', start + body.length);
      const to = text.indexOf('endstream', from + 6);
      if (from >= 0 && to >= 0) addCompressed(objects, body, text.slice(from + 6, to));
    }
  }
  return objects;
}

function lengthOfHead(text: string): number {
  const ends = [text.search(/\bstream\r?\n/), text.indexOf('endobj')].filter((end) => end >= 0);
  return ends.length === 0 ? text.length : Math.min(...ends);
}

function addCompressed(objects: Map<number, string>, dictionary: string, data: string): void {
  const count = Number(/\/N\s+(\d+)/.exec(dictionary)?.[1] ?? 0);
  const first = Number(/\/First\s+(\d+)/.exec(dictionary)?.[1] ?? 0);
  let text: string;
  try {
    const packed = Buffer.from(data.replace(/^\r?\n/, ''), 'latin1');
    text = inflateSync(packed, { maxOutputLength: OBJECT_STREAM_BYTES_MAX }).toString('latin1');
  } catch {
    // Not packed in the usual way, or damaged: what it holds stays unknown.
    return;
  }
  const numbers = text.slice(0, first).trim().split(/\s+/).map(Number);
  for (let index = 0; index < count && objects.size < OBJECTS_MAX; index += 1) {
    const [number, offset] = [numbers[2 * index], numbers[2 * index + 1]];
    if (number === undefined || offset === undefined) return;
    const next = numbers[2 * index + 3];
    const end = next === undefined ? text.length : first + next;
    objects.set(number, text.slice(first + offset, Math.min(end, first + offset + OBJECT_TEXT_MAX)));
  }
}

function referencesOf(text: string, key: string): number[] {
  const value = new RegExp(`/${key}\\s*(\\[[^\\]]*\\]|\\d+\\s+\\d+\\s+R)`).exec(text)?.[1] ?? '';
  return [...value.matchAll(/(\d+)\s+\d+\s+R/g)].map(([, number]) => Number(number));
}

function isPage(text: string): boolean {
  return /\/Type\s*\/Page(?![A-Za-z])/.test(text);
}

function isCatalog(text: string): boolean {
  return /\/Type\s*\/Catalog\b/.test(text);
}

/** A picture, or a part of a page that is drawn from an object of its own. */
function isDrawing(text: string): boolean {
  return /\/Subtype\s*\/(?:Form|Image)\b/.test(text);
}

/** How comments and fields look is drawn anew when a form is filled in. */
function appearancesOf(text: string): number[] {
  const [, appearance] = /\/AP\s*<<((?:[^<>]|<<[^<>]*>>)*)>>/.exec(text) ?? [];
  return [...(appearance ?? '').matchAll(/(\d+)\s+\d+\s+R/g)].map(([, number]) => Number(number));
}

/** Pictures, content streams and trees of pages that the revision defines anew, or takes away from a page or a page from the file. */
function changedContents(
  before: ReadonlyMap<number, string>,
  { objects }: Revision,
): { readonly replaced: readonly number[]; readonly isExtended: boolean } {
  const replaced: number[] = [];
  let isExtended = false;
  const appearances = new Set([...before.values(), ...objects.values()].flatMap(appearancesOf));
  for (const [number, text] of before) {
    if (isDrawing(text) && objects.has(number) && !appearances.has(number)) replaced.push(number);
    if (isCatalog(text)) {
      const now = objects.get(number);
      const pages = referencesOf(now ?? '', 'Pages');
      if (pages.length > 0 && pages[0] !== referencesOf(text, 'Pages')[0])
        replaced.push(...referencesOf(text, 'Pages'));
    } else if (isPage(text)) {
      const now = objects.get(number);
      const contents = referencesOf(text, 'Contents');
      replaced.push(...contents.filter((content) => objects.has(content) && content !== number));
      if (now === undefined || !isPage(now)) continue;
      const after = referencesOf(now, 'Contents');
      replaced.push(...contents.filter((content) => !after.includes(content)));
      isExtended ||= after.some((content) => !contents.includes(content));
    } else if (/\/Type\s*\/Pages\b/.test(text)) {
      const now = objects.get(number);
      if (now === undefined || !/\/Kids/.test(now)) continue;
      const kids = referencesOf(now, 'Kids');
      const missing = referencesOf(text, 'Kids').filter((kid) => !kids.includes(kid));
      replaced.push(...missing);
      isExtended ||= kids.length > referencesOf(text, 'Kids').length;
    }
  }
  return { replaced: [...new Set(replaced)], isExtended };
}

/** A signature field that loses its value, or is taken off the form. */
function removesSignature(before: ReadonlyMap<number, string>, { objects }: Revision): boolean {
  for (const [number, text] of before) {
    if (!/\/FT\s*\/Sig\b/.test(text) || !/\/V\s+\d+\s+\d+\s+R|\/V\s*<</.test(text)) continue;
    const now = objects.get(number);
    if (now !== undefined && !/\/V[\s<]/.test(now)) return true;
    const forms = [...objects.values()].filter((form) => /\/Fields\s*\[/.test(form));
    if (forms.some((form) => !referencesOf(form, 'Fields').includes(number) && !isKidOf(number, form, objects, before)))
      return true;
  }
  return false;
}

/** A field may hang below another field of the form. */
function isKidOf(
  number: number,
  form: string,
  objects: ReadonlyMap<number, string>,
  before: ReadonlyMap<number, string>,
): boolean {
  return referencesOf(form, 'Fields').some((field) =>
    referencesOf(objects.get(field) ?? before.get(field) ?? '', 'Kids').includes(number),
  );
}

function readSignature(
  file: string,
  revisions: readonly Revision[],
  changes: readonly { readonly end: number; readonly isContent: boolean; readonly removesSignature: boolean }[],
): SignatureReading | null {
  const found: Signature[] = [];
  for (const match of file.matchAll(/\/ByteRange\s*\[\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*\]/g)) {
    const [, start = 0, length = 0, second = 0, rest = 0] = match.map(Number);
    if (second < start + length || second + rest > file.length || length + rest === 0) continue;
    const around = file.slice(Math.max(0, match.index - 2_000), match.index + 2_000);
    found.push({
      coveredBytes: length + rest,
      coveredEnd: second + rest,
      isTimestamp: /DocTimeStamp|ETSI\.RFC3161/.test(around) && !/adbe\.pkcs7|ETSI\.CAdES/.test(around),
    });
  }
  const signatures = found.filter(({ isTimestamp }) => !isTimestamp);
  const [signature] = (signatures.length > 0 ? signatures : found).sort(
    (one, other) => other.coveredEnd - one.coveredEnd,
  );
  if (signature === undefined) return null;
  const later = changes.filter(({ end }) => end > signature.coveredEnd + 2);
  const changed = changes.some(({ removesSignature: isRemoved }) => isRemoved)
    ? 'SIGNATURE_REMOVED'
    : later.some(({ isContent }) => isContent)
      ? 'CONTENT'
      : later.length > 0 || file.slice(signature.coveredEnd).trim() !== ''
        ? 'FORM_OR_VALIDATION'
        : 'NOTHING';
  return {
    revisions: revisions.length,
    coveragePercent: Math.round((100 * signature.coveredBytes) / Math.max(1, file.length)),
    changed,
  };
}
