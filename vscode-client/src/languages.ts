// The setting `editcast.languages`, as plain data: no VS Code API here.

/** Whether the setting lets Editcast suggest in a language. */
export function isOn(languages: readonly string[], language: string): boolean {
  return (
    (languages.includes("*") || languages.includes(language)) && !languages.includes(`!${language}`)
  );
}

/** The setting with one language turned off if it was on, and on if it was off. */
export function toggled(languages: readonly string[], language: string): string[] {
  if (isOn(languages, language)) {
    const others = languages.filter((one) => one !== language);
    return others.includes("*") ? [...others, `!${language}`] : others;
  }
  const others = languages.filter((one) => one !== `!${language}`);
  return isOn(others, language) ? others : [...others, language];
}
