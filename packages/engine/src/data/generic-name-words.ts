/**
 * Words that extend a company name without identifying its owner, after transliteration: `Hinrichs GmbH` and `Hinrichs
 * International GmbH` are treated as one firm. Trades, towns and countries are not included, because they distinguish
 * firms. Reviewed 2026-11.
 */
// prettier-ignore
export const genericNameWords: ReadonlySet<string> = new Set([
  'INTERNATIONAL', 'INTERNATIONALE', 'INTERNACIONAL', 'INTERNAZIONALE', 'INTL', 'GLOBAL', 'WORLD', 'WORLDWIDE', 'EUROPE',
  'EUROPA', 'EUROPEAN', 'EURO',
  'GROUP', 'GRUPPE', 'GROUPE', 'GRUPO', 'GRUPPO', 'GRUPA', 'GROEP', 'HOLDING', 'HOLDINGS', 'COMPANY', 'ENTERPRISE',
  'ENTERPRISES', 'BUSINESS', 'PARTNERS', 'PARTNER', 'ASSOCIATES',
  'SERVICE', 'SERVICES', 'SERVIS', 'SERVICIOS', 'SERVIZI', 'DIENSTE', 'DIENSTEN', 'SOLUTIONS', 'TRADING', 'TRADE', 'SALES',
  'VERTRIEB', 'BILLING', 'PAYMENTS', 'FINANCE', 'PLUS', 'PRO', 'NEW', 'ONLINE',
  'FA', 'FIRMA', 'ZENTRALE', 'HEADQUARTERS', 'BUCHHALTUNG', 'RECHNUNGSWESEN', 'ABRECHNUNG', 'ZAHLUNGEN', 'INKASSO',
  'FORDERUNGSMANAGEMENT', 'FACTORING', 'COLLECTION', 'COLLECTIONS', 'ACCOUNTS', 'ACCOUNTING', 'RECEIVABLE', 'RECEIVABLES',
  'INVOICING', 'PAYMENT', 'TREASURY',
]);
