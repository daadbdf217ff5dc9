/**
 * Words and towns that differ from a legal form in one letter and are none: `Fairfax Logistics Cork` is a branch, not a
 * misspelt corporation. In upper-case ASCII. Reviewed 2026-11.
 */
export const wordsLikeLegalForms: ReadonlySet<string> = new Set(
  // CORP
  (
    'CORK CORE CORD CORN CORA CARP COOP CROP CORPO CORPS ' +
    // SARL, EURL, SASU, SRLS, SPRL
    'SARA SAIL SARK SAUL SARI EARL EURO EURE SASH'
  ).split(' '),
);
