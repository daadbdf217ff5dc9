import { en } from './en.js';

/** The texts of the console in one language, in the shape of the English texts. */
export type Messages = typeof en;

/** The texts of the console in use. English is the only language yet. */
export const messages: Messages = en;
