/** Types for the part of saxon-js 2.7 that runs the stylesheets of RULES_DIR. The package brings no types. */
declare module 'saxon-js' {
  interface TransformOptions {
    readonly stylesheetInternal: unknown;
    readonly sourceText: string;
    readonly destination: 'serialized';
  }
  const SaxonJS: {
    transform(options: TransformOptions, execution: 'sync'): { readonly principalResult: string };
  };
  export default SaxonJS;
}
