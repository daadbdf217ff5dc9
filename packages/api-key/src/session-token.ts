import { randomBase62 } from './base62.js';

const TOKEN = /^ics_[0-9A-Za-z]{43}$/;

/** Returns a new token of a session of the app, which holds 256 random bits. */
export function newSessionToken(): string {
  return `ics_${randomBase62(43)}`;
}

/** Checks whether a text has the form of the token of a session of the app. */
export function isSessionToken(text: string): boolean {
  return TOKEN.test(text);
}
