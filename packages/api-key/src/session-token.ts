import { randomBase62 } from './base62.js';

const TOKEN = /^ics_[0-9A-Za-z]{43}$/;

/** Returns a new session token for the app, which holds 256 random bits. */
export function newSessionToken(): string {
  return `ics_${randomBase62(43)}`;
}

/** Checks whether a text has the form of a session token for the app. */
export function isSessionToken(text: string): boolean {
  return TOKEN.test(text);
}
