/**
 * Words that name departments in the buyer name field, after transliteration. A department is not a different buyer
 * (detection reference, section 7.5). Reviewed 2026-11.
 */
// prettier-ignore
export const departmentWords: ReadonlySet<string> = new Set([
  // English words for departments in supplier names.
  'ACCOUNT', 'ACCOUNTS', 'ACCOUNTING', 'ADMINISTRATION', 'BILLING', 'BOOKKEEPING', 'CREDITORS', 'DEPARTMENT', 'DEPT',
  'FINANCE', 'INVOICE', 'INVOICES', 'OFFICE', 'PAYABLE', 'PAYABLES', 'PROCUREMENT', 'PURCHASE', 'PURCHASING', 'TEAM',
  'AND', 'OF', 'THE',
  // German words for departments in supplier names.
  'ABTEILUNG', 'BUCHHALTUNG', 'EINKAUF', 'FINANZEN', 'FINANZBUCHHALTUNG', 'KREDITOREN', 'KREDITORENBUCHHALTUNG',
  'RECHNUNGEN', 'RECHNUNGSEINGANG', 'RECHNUNGSPRUFUNG', 'RECHNUNGSWESEN', 'VERWALTUNG', 'DER', 'UND',
  // Words for departments in French, Spanish, Italian and Portuguese.
  'ACHATS', 'COMPTABILITE', 'COMPTES', 'FACTURES', 'FOURNISSEURS', 'SERVICE', 'CONTABILIDAD', 'COMPRAS', 'FACTURAS',
  'PROVEEDORES', 'DEPARTAMENTO', 'ACQUISTI', 'AMMINISTRAZIONE', 'CONTABILITA', 'FATTURE', 'FORNITORI', 'UFFICIO',
  'CONTABILIDADE', 'FATURAS', 'FORNECEDORES', 'DE', 'DES',
  // Polish and Dutch words for departments in supplier names.
  'DZIAL', 'FAKTURY', 'KSIEGOWOSC', 'KSIEGOWOSCI', 'ZAKUPY', 'ZAKUPOW', 'ADMINISTRATIE', 'AFDELING', 'BOEKHOUDING',
  'CREDITEURENADMINISTRATIE', 'FACTUREN', 'INKOOP',
]);
