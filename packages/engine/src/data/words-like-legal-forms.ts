/**
 * Words and towns in company names that differ from a legal form in one letter but are not legal forms. `Fairfax
 * Logistics Cork` is the branch in the town Cork, and not a misspelt `Fairfax Logistics Corp`. All words are in
 * upper-case ASCII. Reviewed 2026-11.
 */
export const wordsLikeLegalForms: ReadonlySet<string> = new Set(
  // Words in company names that differ from the legal form CORP in one letter.
  (
    'CORK CORE CORD CORN CORA CARP COOP CROP CORPO CORPS ' +
    // Words that resemble the legal forms SARL, EURL, SASU, SRLS and SPRL.
    'SARA SAIL SARK SARI EARL EURO EURE SASH ' +
    // Words in company names that resemble the legal form SAGL.
    'SAGA SAGE SAGO SAUL SIGL SEAL'
  ).split(' '),
);
