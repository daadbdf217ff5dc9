declare module '*.css';
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}

interface ImportMeta {
  /** Vite replaces a call of `import.meta.glob` with the modules whose paths match the pattern. */
  glob<Module>(pattern: string, options: { readonly eager: true }): Readonly<Record<string, Module>>;
}
