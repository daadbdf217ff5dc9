/**
 * Words that name departments in the buyer name field, after transliteration. A department is not a different buyer
 * (detection reference, section 7.5). Reviewed 2026-11.
 */
// prettier-ignore
export const departmentWords: ReadonlySet<string> = new Set([
  // Words for departments in English.
  'ACCOUNT', 'ACCOUNTS', 'ACCOUNTING', 'ADMINISTRATION', 'BILLING', 'BOOKKEEPING', 'CREDITORS', 'DEPARTMENT', 'DEPT',
  'FINANCE', 'INVOICE', 'INVOICES', 'OFFICE', 'PAYABLE', 'PAYABLES', 'PROCUREMENT', 'PURCHASE', 'PURCHASING', 'TEAM',
  'AND', 'OF', 'THE',
  // Words for departments in German.
  'ABTEILUNG', 'BUCHHALTUNG', 'EINKAUF', 'FINANZEN', 'FINANZBUCHHALTUNG', 'KREDITOREN', 'KREDITORENBUCHHALTUNG',
  'RECHNUNGEN', 'RECHNUNGSEINGANG', 'RECHNUNGSPRUFUNG', 'RECHNUNGSWESEN', 'VERWALTUNG', 'DER', 'UND',
  // Words for departments in French, Spanish, Italian and Portuguese.
  'ACHATS', 'COMPTABILITE', 'COMPTES', 'FACTURES', 'FOURNISSEURS', 'SERVICE', 'CONTABILIDAD', 'COMPRAS', 'FACTURAS',
  'PROVEEDORES', 'DEPARTAMENTO', 'ACQUISTI', 'AMMINISTRAZIONE', 'CONTABILITA', 'FATTURE', 'FORNITORI', 'UFFICIO',
  'CONTABILIDADE', 'FATURAS', 'FORNECEDORES', 'DE', 'DES',
  // Words for departments in Polish and Dutch.
  'DZIAL', 'FAKTURY', 'KSIEGOWOSC', 'KSIEGOWOSCI', 'ZAKUPY', 'ZAKUPOW', 'ADMINISTRATIE', 'AFDELING', 'BOEKHOUDING',
  'CREDITEURENADMINISTRATIE', 'FACTUREN', 'INKOOP',
]);
