import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { XmlDocument } from 'libxml2-wasm';
import { copyTree, descendants, valueOf } from './element.js';
import type { Syntax } from './invoice-model.js';
import type { RuleSet } from './rules/rule.js';
import type { FailedRule } from './validation.js';

/** A compiled Schematron stylesheet from the operator, with the rule set for e-invoices that it implements. */
interface OfficialArtefact {
  readonly name: string;
  readonly set: RuleSet;
  readonly syntax: Syntax;
  run(xml: string): readonly FailedRule[];
}

/** The official validation stylesheets in RULES_DIR (documents reference, section 9.3). */
export interface OfficialRules {
  /** Returns the stylesheets that implement one of the rule sets in the syntax of the document. */
  select(syntax: Syntax, sets: readonly RuleSet[]): readonly OfficialArtefact[];
}

const EXTENSION = '.sef.json';
/** File names of the stylesheets in the official releases, with their rule sets. */
const NAMES: readonly (readonly [pattern: RegExp, set: RuleSet, syntax: Syntax])[] = [
  [/^PEPPOL-EN16931-UBL/i, 'PEPPOL', 'UBL'],
  [/^PEPPOL-EN16931-CII/i, 'PEPPOL', 'CII'],
  [/^(CEN-)?EN16931-UBL/i, 'EN16931', 'UBL'],
  [/^(CEN-)?EN16931-CII/i, 'EN16931', 'CII'],
  [/^XRechnung-UBL/i, 'XRECHNUNG', 'UBL'],
  [/^XRechnung-CII/i, 'XRECHNUNG', 'CII'],
];
const FLAGS: Readonly<Record<string, FailedRule['flag']>> = {
  fatal: 'FATAL',
  error: 'FATAL',
  warning: 'WARNING',
  information: 'INFORMATION',
  info: 'INFORMATION',
};

/**
 * Loads the official validation stylesheets that an operator mounted. They must be trusted, because a stylesheet can
 * read files. Throws if a file name matches no rule set, so that a misnamed file does not go unnoticed.
 */
export async function loadOfficialRules(folder: string): Promise<OfficialRules> {
  const { default: SaxonJS } = await import('saxon-js');
  const names = (await readdir(folder)).filter((name) => name.endsWith(EXTENSION)).sort();
  const artefacts = await Promise.all(
    names.map(async (file): Promise<OfficialArtefact> => {
      const known = NAMES.find(([pattern]) => pattern.test(file));
      if (known === undefined) {
        throw new Error(
          `${join(folder, file)} names no rule set. Rename it as its release does: EN16931-UBL-validation${EXTENSION}, EN16931-CII-..., PEPPOL-EN16931-UBL..., XRechnung-UBL-..., XRechnung-CII-....`,
        );
      }
      const [, set, syntax] = known;
      const stylesheetInternal: unknown = JSON.parse(await readFile(join(folder, file), 'utf8'));
      return {
        name: file.slice(0, -EXTENSION.length),
        set,
        syntax,
        run: (xml) => {
          const { principalResult } = SaxonJS.transform(
            { stylesheetInternal, sourceText: xml, destination: 'serialized' },
            'sync',
          );
          return readReport(principalResult);
        },
      };
    }),
  );
  return {
    select: (syntax, sets) => artefacts.filter((artefact) => artefact.syntax === syntax && sets.includes(artefact.set)),
  };
}

/** Returns the names of the validation stylesheets that were run, for `ruleSets`. */
export function officialRuleSets(artefacts: readonly OfficialArtefact[]): readonly string[] {
  return artefacts.map((artefact) => `official-${artefact.name}`);
}

/** Returns the validation rules that failed, from the assertions of a Schematron report (SVRL). */
function readReport(svrl: string): readonly FailedRule[] {
  const document = XmlDocument.fromString(svrl);
  try {
    return [...descendants(copyTree(document))]
      .filter((element) => element.name === 'failed-assert')
      .map((element) => ({
        id: element.attributes.get('id') ?? 'UNNAMED',
        flag: FLAGS[(element.attributes.get('flag') ?? '').toLowerCase()] ?? 'FATAL',
        message: valueOf(element.children.find((child) => child.name === 'text')),
        location: element.attributes.get('location') ?? '/',
        expected: null,
        actual: null,
      }));
  } finally {
    document.dispose();
  }
}
