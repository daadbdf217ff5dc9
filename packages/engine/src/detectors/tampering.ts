import type { DocumentFacts, TamperSign, TamperSignKind } from '../facts/document-facts.js';
import type { DocumentParameters } from '../policy/documents.js';

/**
 * Lists the signs of tampering, each kind once. If the policy lists the program that wrote the file as an editor, this
 * is a sign too.
 */
export function tamperSignsOf(document: DocumentFacts, { editors }: DocumentParameters): readonly TamperSign[] {
  const producer = document.producer?.toLowerCase() ?? '';
  const isEditor = editors.some((editor) => producer.includes(editor));
  const byKind = new Map<TamperSignKind, TamperSign>(isEditor ? [['EDITOR', { kind: 'EDITOR', objects: [] }]] : []);
  for (const sign of document.tamperSigns) {
    const objects = [...(byKind.get(sign.kind)?.objects ?? []), ...sign.objects];
    byKind.set(sign.kind, { kind: sign.kind, objects });
  }
  return [...byKind.values()];
}

/** Returns the total weight of all signs of tampering in a document. */
export function tamperWeight(document: DocumentFacts, parameters: DocumentParameters): number {
  const signs = tamperSignsOf(document, parameters);
  return signs.reduce((sum, { kind }) => sum + parameters.tamperWeights[kind], 0);
}

/** Checks whether the document was changed after signing, or the total weight of its tampering signs is high enough. */
export function isTampered(document: DocumentFacts | undefined, parameters: DocumentParameters): boolean {
  if (document === undefined) return false;
  const changed = document.signature?.changed;
  return (
    changed === 'CONTENT' ||
    changed === 'SIGNATURE_REMOVED' ||
    tamperWeight(document, parameters) >= parameters.tamperDoubtfulMin
  );
}
