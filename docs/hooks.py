"""Hooks of mkdocs: pages from outside docs/, the notebook, links, and the modules of metrics.

Pages link to each other by their places in the repository, so that the links work there too. The
hooks turn them into links between pages of the site.
"""

import re
from base64 import b64decode
from os.path import normpath
from pathlib import Path, PurePosixPath
from typing import Any

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
PAGES = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
"""Pages of the site, and the files of the repository that they are."""
NOTEBOOKS = {"notebook.md": "docs/notebook.ipynb"}
"""Likewise, for pages made of a notebook."""
IN_SITE = {"README.md": "index.md"} | {file: page for page, file in (PAGES | NOTEBOOKS).items()}

_ALL_METRICS = "::: inspect_confidence.metrics.*\n"
"""Line of a page that stands for the documentation of all modules of metrics."""
_METRICS_MODULE = re.compile(r"^from (inspect_confidence\.metrics\.\w+) import \*$", re.MULTILINE)
_LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(?=\))")
_STYLE = re.compile(r"<style.*?</style>\s*", re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that don't lie in docs/ as such."""
    for page, name in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    for page, name in NOTEBOOKS.items():
        text, pictures = notebook_page(nbformat.read(ROOT / name, as_version=4))
        files.append(File.generated(config, page, content=text))
        for picture, content in pictures.items():
            files.append(File.generated(config, picture, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files into links between pages, and name the modules of metrics."""
    uri = page.file.src_uri
    markdown = markdown.replace(_ALL_METRICS, metrics_directives())
    return site_links(markdown, (PAGES | NOTEBOOKS).get(uri, f"docs/{uri}"))


def metrics_directives() -> str:
    """Return a directive of mkdocstrings for each module of metrics, in the registry's order."""
    package = ROOT / "src" / "inspect_confidence" / "metrics" / "__init__.py"
    modules = _METRICS_MODULE.findall(package.read_text(encoding="utf-8"))
    return "".join(f"::: {module}\n" for module in modules)


def site_links(markdown: str, name: str) -> str:
    """The text of a file of the repository with its links as the site has them.

    Args:
        markdown: The text.
        name: The file, from the repository's root.
    """

    def turned(link: re.Match[str]) -> str:
        target = normpath(PurePosixPath(name).parent / link[2])
        page = IN_SITE.get(target) or target.removeprefix("docs/")
        return f"{link[1]}{page}{link[3] or ''}"

    return _LINK.sub(turned, markdown)


def notebook_page(notebook: Any) -> tuple[str, dict[str, bytes]]:
    """A notebook as markdown, and its pictures by name."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            parts.append(_output(output, pictures))
    return "\n\n".join(parts) + "\n", pictures


def _output(output: Any, pictures: dict[str, bytes]) -> str:
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```"
    data = output.data
    if "image/png" in data:
        name = f"notebook-{len(pictures) + 1}.png"
        pictures[name] = b64decode(data["image/png"])
        width = output.metadata.get("image/png", {}).get("width", "")
        return f'![Figure {len(pictures)}]({name}){{ width="{width}" }}'
    if "text/html" in data:
        # The page's own look of tables, which those with a class don't have.
        plain = _STYLE.sub("", data["text/html"]).replace(' class="dataframe"', "")
        return plain.replace(' border="1"', "")
    return f"```text\n{data['text/plain']}\n```"
