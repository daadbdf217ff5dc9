/** E-invoice formats of the profile table that are recognized but cannot be read, with their common names. */
export const recognisedFormats: Readonly<Record<string, string>> = {
  EBINTERFACE: 'ebInterface (Austria)',
  ISDOC: 'ISDOC (Czechia)',
  SVEFAKTURA: 'Svefaktura (Sweden)',
  ESLOG: 'eSLOG (Slovenia)',
  NAV: 'NAV Online Számla (Hungary)',
  MYDATA: 'myDATA (Greece)',
  CFDI: 'CFDI (Mexico)',
  FINVOICE: 'Finvoice (Finland)',
  E_INVOICE: 'e-arve (Estonia)',
};
