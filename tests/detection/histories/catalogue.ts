import type { AnalyzeOptions } from '../analyze.js';
import type { Bill } from '../bill.js';
import type { Random } from '../random.js';
import { balticCompanies, balticLogistics, balticRates } from './baltic-logistics.js';
import { beneluxCompanies, beneluxRates, beneluxServices } from './benelux-services.js';
import { britishIrishCharity } from './british-irish-charity.js';
import { dachManufacturing } from './dach-manufacturing.js';
import { centralEuropeanIt, itCompanies, itRates } from './central-european-it.js';
import { agrifoodCompanies, agrifoodRates, frenchItalianAgrifood } from './french-italian-agrifood.js';
import { iberianCompanies, iberianHospitality, iberianRates } from './iberian-hospitality.js';
import { nordicCompanies, nordicConstruction, nordicRates } from './nordic-construction.js';
import { polishRetail } from './polish-retail.js';

/**
 * A labelled history written by hand. Its authors read the reference but not the engine, so it covers cases that the
 * authors of the generator did not think of. The bills are in any order.
 */
interface WrittenHistory extends Pick<AnalyzeOptions, 'companies' | 'ratesPerEuro'> {
  readonly write: (random: Random) => Bill[];
}

/** Approximate number of units per euro. */
const ratesOfTheYears = { CHF: '0.95', CZK: '25', GBP: '0.85', PLN: '4.3', USD: '1.09' };

/** Histories by name. `npm run bench:detection -- --history` takes one of these names. */
export const histories: Readonly<Record<string, WrittenHistory>> = {
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
