/**
 * Where the repository is, e.g. `https://git.example.com/group/pix-automatic-sdk`: the one place in which the host is
 * entered. It is empty until there is one, and `npm run release:check` fails until then. `docs/releasing.md` has the
 * steps that follow from it.
 */
export const repositoryUrl = '';
