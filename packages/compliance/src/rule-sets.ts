import type { Profile } from './profiles.js';
import type { RuleSet } from './rules/rule.js';
import type { SchemaName } from './schemas.js';
import type { ValidationMode } from './validation.js';

/** Version of the product's own validation rules for e-invoices. Increase it when the result of any rule changes. */
const OWN_REVISION = 'own2';

const VERSIONS: Readonly<Record<RuleSet, string>> = {
  EN16931: `en16931-1.3.16+${OWN_REVISION}`,
  PEPPOL: `peppol-2026.5+${OWN_REVISION}`,
  XRECHNUNG: `xrechnung-3.0.2+${OWN_REVISION}`,
};

/** The rule sets that an invoice is validated against (documents reference, section 9.1). */
export interface Selection {
  readonly sets: readonly RuleSet[];
  readonly selects: (rule: { readonly id: string }) => boolean;
  readonly schema: SchemaName | null;
  /** Mandatory fields and arithmetic of a national e-invoice format without EN 16931 rules. */
  readonly fields: boolean;
}

/** Invoices of the profiles MINIMUM and BASIC WL have no lines and are not EN 16931 invoices. */
const MINIMUM_IDS: ReadonlySet<string> = new Set(
  'BR-01 BR-02 BR-03 BR-04 BR-05 BR-06 BR-07 BR-13 BR-14 BR-15 BR-CO-15'.split(' '),
);
const BASIC_WL_IDS: ReadonlySet<string> = new Set([
  ...MINIMUM_IDS,
  ...'BR-45 BR-46 BR-47 BR-48 BR-CO-14 BR-CO-17'.split(' '),
]);
/**
 * Presence and arithmetic rules for the format PINT. These rules do not require VAT, because some countries that use
 * PINT have other taxes.
 */
const PINT_IDS =
  /^(BR-(0[1-9]|1[0-9]|2[1-6]|3[1368]|4[1-6]|49|5[2457]|6[1-5]|CO-1[0-6]|CO-2[1-4])|PEPPOL-EN16931-R(040|120))$/;
/** Validation rules that extensions of EN 16931 are allowed to break. */
const RESTRICTIONS = /^(BR-(S|Z|AF|AG)-10|BR-O-1[1-4]|BR-B-0[12]|BR-CL-[0-9]+|PEPPOL-EN16931-R101)$/;
/** In the XRechnung extension, the amount due of an e-invoice is also reduced by amounts that third parties pay. */
const XRECHNUNG_EXTENSION_RESTRICTIONS = /^BR-CO-16$/;

const ALL_RULES = (): boolean => true;

/** Returns the rule sets for an e-invoice, or null if only the built-in checks apply in the validation mode. */
export function selectRules(
  profile: Profile,
  mode: ValidationMode,
  context: { readonly isCii: boolean; readonly hasConflict: boolean; readonly isFragment: boolean },
): Selection | null {
  if (profile.code === 'FA3' || profile.code === 'FA2') {
    return { sets: [], selects: ALL_RULES, schema: profile.code, fields: false };
  }
  if (mode === 'OFF' || profile.kind === 'RECOGNISED_ONLY') return null;
  const core: Selection = { sets: ['EN16931'], selects: ALL_RULES, schema: null, fields: false };
  // If profile declarations contradict each other, the document has no single profile. Only the plain rules apply, and
  // only in mode ALL.
  if (context.hasConflict) return mode === 'ALL' ? core : null;
  if (profile.kind === 'NATIONAL') return selectNational(profile, context.isCii);
  if (mode !== 'ALL') return null;
  // A fragment of an e-invoice rarely declares its profile, so all rules except national ones apply to it.
  if (profile.kind === 'PLAIN') return context.isFragment ? { ...core, sets: ['EN16931', 'PEPPOL'] } : core;
  if (profile.variant === 'PINT') {
    return { sets: ['EN16931', 'PEPPOL'], selects: (rule) => PINT_IDS.test(rule.id), schema: null, fields: false };
  }
  return { ...core, sets: ['EN16931', 'PEPPOL'] };
}

function selectNational(profile: Profile, isCii: boolean): Selection {
  switch (profile.variant) {
    case 'FIELDS_ONLY':
      return { sets: [], selects: ALL_RULES, schema: null, fields: true };
    case 'MINIMUM':
    case 'BASIC_WL': {
      const ids = profile.variant === 'MINIMUM' ? MINIMUM_IDS : BASIC_WL_IDS;
      return {
        sets: ['EN16931'],
        selects: (rule) => ids.has(rule.id),
        schema: isCii ? profile.variant : null,
        fields: false,
      };
    }
    case 'BASIC':
    case 'EN16931':
    case 'EXTENDED':
    case 'EXTENSION':
    case 'PINT':
    case 'SELF_BILLING':
    case 'STANDARD': {
      const isExtension = profile.variant === 'EXTENDED' || profile.variant === 'EXTENSION';
      const isBasic = profile.variant === 'BASIC';
      return {
        sets: profile.code === 'XRECHNUNG' ? ['EN16931', 'XRECHNUNG'] : ['EN16931'],
        selects: isExtension
          ? (rule) =>
              !RESTRICTIONS.test(rule.id) &&
              !(profile.code === 'XRECHNUNG' && XRECHNUNG_EXTENSION_RESTRICTIONS.test(rule.id))
          : ALL_RULES,
        schema: isCii ? (isExtension ? 'EXTENDED' : isBasic ? 'BASIC' : 'EN16931') : null,
        fields: false,
      };
    }
  }
}

export function ruleSetVersion(set: RuleSet): string {
  return VERSIONS[set];
}

export function fieldsVersion(profile: Profile): string {
  return `fields-${profile.code.toLowerCase()}+${OWN_REVISION}`;
}
