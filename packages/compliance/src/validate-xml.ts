import type { XmlDocument } from 'libxml2-wasm';
import { copyTree, valueOf, type Element } from './element.js';
import { readModel } from './invoice-model.js';
import { checkNationalFields } from './national-fields.js';
import { officialRuleSets, type OfficialRules } from './official-rules.js';
import { CII, contradictsProfile, identifyProfile, UBL_CREDIT_NOTE, UBL_INVOICE, type Profile } from './profiles.js';
import { parseXml } from './parse-xml.js';
import { fieldsVersion, ruleSetVersion, selectRules } from './rule-sets.js';
import { runRules } from './rules/rule-table.js';
import { schemaErrors, schemaRuleSet } from './schemas.js';
import type { FailedRule, Validation, ValidationMode } from './validation.js';

/**
 * Maximum number of failed validation rules of an e-invoice that are listed. Further failed rules are only counted
 * (documents reference, section 9.1).
 */
const RULES_MAX = 50;

export interface ValidationContext {
  /** True if the XML comes from a hybrid PDF. */
  readonly embeddedInPdf: boolean;
  /** XMP level of a hybrid PDF, name of its attachment, and identifiers of further attachments, as written. */
  readonly declaredProfiles: readonly string[];
  /** Compiled stylesheets in RULES_DIR. A rule set there replaces the product's own version of that rule set. */
  readonly officialRules?: OfficialRules;
}

/**
 * Validates an XML invoice, or a fragment of one, against the rules that the mode selects (documents reference, section
 * 9.1). Returns null if no rules apply: the mode selects only the built-in checks, the format is not supported, or the
 * text has a DOCTYPE or is not well-formed XML. Such a text is reported when the document is read.
 */
export function validateXml(xml: Uint8Array, mode: ValidationMode, context?: ValidationContext): Validation | null {
  const parsed = parseXml(xml);
  if ('fault' in parsed) return null;
  const { document } = parsed;
  try {
    return validateDocument(document, mode, context);
  } finally {
    document.dispose();
  }
}

function validateDocument(
  document: XmlDocument,
  mode: ValidationMode,
  context: ValidationContext | undefined,
): Validation | null {
  const root = copyTree(document);
  const { profile, isDeclared, isFragment } = profileOf(root, context?.embeddedInPdf === true);
  if (profile === null) return null;
  const isCii = root.namespace === CII;
  const hasConflict = contradictsProfile(profile, context?.declaredProfiles ?? []);
  const selection = selectRules(profile, mode, { isCii, hasConflict, isFragment });
  if (selection === null) return null;

  const official = context?.officialRules?.select(isCii ? 'CII' : 'UBL', selection.sets) ?? [];
  const ownSets = selection.sets.filter((set) => !official.some((artefact) => artefact.set === set));
  const text = official.length > 0 ? document.toString() : '';
  const rules: readonly FailedRule[] = [
    ...official.flatMap((artefact) => artefact.run(text).filter((failed) => selection.selects(failed))),
    ...(ownSets.length > 0 ? runRules(readModel(root, isCii ? 'CII' : 'UBL'), ownSets, selection.selects) : []),
    ...(selection.fields ? checkNationalFields(root, profile) : []),
  ];
  return {
    mode,
    profile: hasConflict || !isDeclared ? null : profile.code,
    ruleSets: [
      ...officialRuleSets(official),
      ...ownSets.map(ruleSetVersion),
      ...(selection.schema === null ? [] : [schemaRuleSet(selection.schema)]),
      ...(selection.fields ? [fieldsVersion(profile)] : []),
    ],
    schemaErrors: selection.schema === null ? [] : schemaErrors(document, selection.schema),
    rules: rules.slice(0, RULES_MAX),
    total: rules.length,
  };
}

interface Declared {
  readonly profile: Profile | null;
  readonly isDeclared: boolean;
  /**
   * A document with neither a number nor a date is too small to be an invoice. Such fragments occur only in tests of
   * validation rules.
   */
  readonly isFragment: boolean;
}

function profileOf(root: Element, embeddedInPdf: boolean): Declared {
  const isUbl = root.namespace === UBL_INVOICE || root.namespace === UBL_CREDIT_NOTE;
  const isCii = root.namespace === CII;
  const model = isUbl || isCii ? readModel(root, isCii ? 'CII' : 'UBL') : undefined;
  const customizationId = model?.invoice.value('BT-24');
  const profile = identifyProfile({
    root: root.name.replace(/^.*:/, ''),
    namespace: root.namespace,
    customizationId: customizationId ?? zugferdLevel(root),
    profileId: model?.invoice.value('BT-23'),
    embeddedInPdf,
  });
  return {
    profile,
    isDeclared: profile?.kind !== 'PLAIN' || customizationId !== '',
    isFragment: model !== undefined && !model.invoice.has('BT-1') && !model.invoice.has('BT-2'),
  };
}

function zugferdLevel(root: Element): string | undefined {
  const context = root.children.find((child) => child.name === 'SpecifiedExchangedDocumentContext');
  const level = context?.children.find((child) => child.name === 'GuidelineSpecifiedDocumentContextParameter');
  return level === undefined ? undefined : valueOf(level.children[0]);
}
