/** Samples of series for a test of promtool, one each minute, such as `0+60x90`. */
export type Given = Readonly<Record<string, string>>;
