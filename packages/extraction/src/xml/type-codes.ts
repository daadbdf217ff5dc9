/** Type codes of UN/EDIFACT 1001 that denote credit notes (BR-CL-01 of EN 16931 1.3.16). */
export const creditNoteTypes: readonly string[] = '81 83 261 262 296 308 381 396 420 458 502 503 532'.split(' ');

/** Type codes that mark a document as a corrective invoice. */
export const correctionTypes: readonly string[] = ['384'];
