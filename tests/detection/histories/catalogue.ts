import type { AnalyzeOptions } from '../analyze.js';
import type { Bill } from '../bill.js';
import type { Random } from '../random.js';
import { balticCompanies, balticLogistics, balticRates } from './baltic-logistics.js';
import { beneluxCompanies, beneluxRates, beneluxServices } from './benelux-services.js';
import { britishIrishCharity } from './british-irish-charity.js';
import { americanFreight, freightCompanies, freightRates } from './american-freight.js';
import { brazilianMunicipality, municipalCompanies, municipalRates } from './brazilian-municipality.js';
import { canadianUtilities, utilityCompanies, utilityRates } from './canadian-utilities.js';
import { dachManufacturing } from './dach-manufacturing.js';
import { centralEuropeanIt, itCompanies, itRates } from './central-european-it.js';
import { agrifoodCompanies, agrifoodRates, frenchItalianAgrifood } from './french-italian-agrifood.js';
import { iberianCompanies, iberianHospitality, iberianRates } from './iberian-hospitality.js';
import { hospitalCompanies, hospitalRates, indianHospitals } from './indian-hospitals.js';
import { japaneseWard, wardCompanies, wardRates } from './japanese-ward.js';
import { nordicCompanies, nordicConstruction, nordicRates } from './nordic-construction.js';
import { polishRetail } from './polish-retail.js';
import { farmCompanies, farmRates, romanianFarms } from './romanian-farms.js';
import { mediaCompanies, mediaRates, swedishMedia } from './swedish-media.js';
import { hotelCompanies, hotelRates, swissHotels } from './swiss-hotels.js';

/**
 * A labelled history written by hand. Its authors read the reference but not the engine, so that it covers cases that
 * the authors of the generator did not think of. The bills may have any order.
 */
interface WrittenHistory extends Pick<AnalyzeOptions, 'companies' | 'ratesPerEuro'> {
  readonly write: (random: Random) => Bill[];
}

/** Approximate number of units of each currency per euro, by which the amounts of the test bills are converted. */
const ratesOfTheYears = { CHF: '0.95', CZK: '25', GBP: '0.85', PLN: '4.3', USD: '1.09' };

type WrittenHistories = Readonly<Record<string, WrittenHistory>>;

/** Test bills of customers in Europe. The engine was improved with them, and tests assert how many copies it finds. */
const european: WrittenHistories = {
  'nordic-construction': { write: nordicConstruction, companies: nordicCompanies, ratesPerEuro: nordicRates },
  'iberian-hospitality': { write: iberianHospitality, companies: iberianCompanies, ratesPerEuro: iberianRates },
  'benelux-services': { write: beneluxServices, companies: beneluxCompanies, ratesPerEuro: beneluxRates },
  'british-irish-charity': { write: britishIrishCharity, ratesPerEuro: ratesOfTheYears },
  'dach-manufacturing': { write: dachManufacturing, ratesPerEuro: ratesOfTheYears },
  'polish-retail': { write: polishRetail, ratesPerEuro: ratesOfTheYears },
  'baltic-logistics': { write: balticLogistics, companies: balticCompanies, ratesPerEuro: balticRates },
  'french-italian-agrifood': {
    write: frenchItalianAgrifood,
    companies: agrifoodCompanies,
    ratesPerEuro: agrifoodRates,
  },
  'central-european-it': { write: centralEuropeanIt, companies: itCompanies, ratesPerEuro: itRates },
};

/**
 * Histories of customers in trades and countries that the other histories leave out. They were written without
 * knowledge of the detection rules, so their first figures show how the engine decides about unknown cases. No test
 * asserts their figures.
 */
const worldwide: WrittenHistories = {
  'american-freight': { write: americanFreight, companies: freightCompanies, ratesPerEuro: freightRates },
  'canadian-utilities': { write: canadianUtilities, companies: utilityCompanies, ratesPerEuro: utilityRates },
  'indian-hospitals': { write: indianHospitals, companies: hospitalCompanies, ratesPerEuro: hospitalRates },
  'swiss-hotels': { write: swissHotels, companies: hotelCompanies, ratesPerEuro: hotelRates },
  'swedish-media': { write: swedishMedia, companies: mediaCompanies, ratesPerEuro: mediaRates },
  'romanian-farms': { write: romanianFarms, companies: farmCompanies, ratesPerEuro: farmRates },
  'brazilian-municipality': {
    write: brazilianMunicipality,
    companies: municipalCompanies,
    ratesPerEuro: municipalRates,
  },
  'japanese-ward': { write: japaneseWard, companies: wardCompanies, ratesPerEuro: wardRates },
};

/**
 * Labelled histories by set and name. `npm run bench:detection` selects a set with `--set` and one history with
 * `--history`.
 */
export const sets = { european, worldwide } as const;

export type SetName = keyof typeof sets;

export const histories: WrittenHistories = { ...european, ...worldwide };
