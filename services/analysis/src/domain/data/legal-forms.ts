/**
 * Legal forms as they stand after transliteration and after joining dotted letters (detection reference, section 3).
 * Data only, one form per entry, tokens separated by one space. Reviewed 2026-11.
 */
// prettier-ignore
export const legalForms: readonly string[] = [
  // Poland
  'SP Z O O', 'SP Z OO', 'SP ZOO', 'SPZOO', 'SPOLKA Z O O', 'SPOLKA Z OO',
  'SPOLKA Z OGRANICZONA ODPOWIEDZIALNOSCIA', 'SPOLKA AKCYJNA', 'SPOLKA JAWNA', 'SPOLKA KOMANDYTOWA', 'SP J', 'SP K',
  'SKA', 'PSA', 'PROSTA SPOLKA AKCYJNA',
  // Germany, Austria, Switzerland
  'GMBH', 'GMBH CO KG', 'MBH', 'GESELLSCHAFT MIT BESCHRANKTER HAFTUNG', 'AG', 'AKTIENGESELLSCHAFT', 'KG', 'OHG', 'UG',
  'EK', 'EV', 'GBR', 'KGAA',
  // United Kingdom, Ireland, United States
  'LTD', 'LIMITED', 'PLC', 'PUBLIC LIMITED COMPANY', 'LLP', 'LLC', 'INC', 'INCORPORATED', 'CORP', 'CORPORATION', 'CO',
  'DAC', 'CIC',
  // France, Belgium, Luxembourg
  'SARL', 'SAS', 'SASU', 'SA', 'SCI', 'EURL', 'SOCIETE ANONYME', 'SOCIETE A RESPONSABILITE LIMITEE', 'SPRL', 'SRL', 'SCA',
  // Italy, Spain, Portugal
  'SPA', 'SNC', 'SL', 'SLU', 'SOCIEDAD LIMITADA', 'SOCIEDAD ANONIMA', 'LDA',
  // Netherlands
  'BV', 'NV', 'BESLOTEN VENNOOTSCHAP', 'NAAMLOZE VENNOOTSCHAP', 'VOF',
  // Nordic and Baltic countries
  'AS', 'A S', 'APS', 'AB', 'OY', 'OYJ', 'ASA', 'SIA', 'UAB', 'OU',
  // Central and south-eastern Europe
  'SRO', 'S R O', 'DOO', 'D O O', 'KFT', 'ZRT', 'NYRT', 'EOOD', 'OOD', 'EAD', 'AD',
];
