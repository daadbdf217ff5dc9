import { en } from './en.js';

/** The texts of a language, in the shape of the English ones. */
export type Messages = typeof en;

/** The texts in use. English is the only language yet. */
export const messages: Messages = en;
