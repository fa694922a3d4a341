/**
 * Where the repository is, e.g. `https://git.example.com/group/pix-automatic-sdk`. The host is entered only here. It is
 * empty until there is one, and `npm run release:check` fails until then. `docs/releasing.md` has the next steps.
 */
export const repositoryUrl = '';
