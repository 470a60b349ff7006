"""Where the data sets of the hedge-marker study lie, each pinned.

The files of the hub are pinned by a revision. Those of ARC and MMLU are the ones that inspect_evals
pins; those of PopQA, SciQ, AmbigNQ, SuperGLUE and GLUE, and the names of the files in them, are the
ones that other public code pins: unverified here, offline.
"""

from collections.abc import Mapping
from pathlib import Path

from inspect_confidence.datasets.cache import Source, cached, fetch
from inspect_confidence.datasets.questions import MMLU, MMLU_ROWS
from inspect_confidence.datasets.selection import Split

INSTEAD = "-T dataset=bundled"

_LABELLED: tuple[tuple[Split, str], ...] = (("train", "train"), ("test", "validation"))
"""What the hub calls the splits of data sets whose `test` has no labels, or isn't there."""

_SPLITS: tuple[Split, ...] = ("train", "test")


def _hub(name: str, dataset: str, revision: str, path: str, sha256: str | None = None) -> Source:
    """A file of a data set on the Hugging Face hub."""
    address = f"https://huggingface.co/datasets/{dataset}/resolve/{revision}/{path}"
    return Source(f"qa/{name}", address, sha256)


POPQA = _hub(
    "popqa/test.tsv",
    "akariasai/PopQA",
    "098765c79ea10a2cb19c828324e33281b8336ec0",
    "test.tsv",
    "9a5227f41bff0e4c331d4a774d946b12f95307892b58f860a9606ef356e6089b",
)
SELFAWARE = Source(
    "qa/SelfAware.json",
    "https://raw.githubusercontent.com/yinzhangyue/SelfAware/"
    "f0bad1ff77bd42fc4eb2360281ed646c7bb7bd0c/data/SelfAware.json",
    "32929585ffdd4048f35f7f167720722eb8ddcf59908ffc958da2f84ea634dc54",
)
SIMPLEQA = Source(
    "qa/simpleqa/simple_qa_test_set.csv",
    "https://openaipublic.blob.core.windows.net/simple-evals/simple_qa_test_set.csv",
    "feee3f7e7db3617e94e8fcf1977b756ec420ef8568f4e0fcbbe0e92e9d5fc032",
)
TRUTHFULQA = Source(
    "qa/TruthfulQA.csv",
    # The state with 817 questions, before January 2025.
    "https://raw.githubusercontent.com/sylinrl/TruthfulQA/"
    "fdd8ad1c0d00a478cf8b0bb41a3ad8378c16293b/TruthfulQA.csv",
    "f9bd9e859cc102cb1f647f1064da7e009be752c416845cf9fa56e6eaae403a7d",
)
AMBIGNQ: Mapping[Split, Source] = {
    split: _hub(
        f"ambignq/{published}.parquet",
        "sewon/ambig_qa",
        "e969d0132f4dd28c2939d55be34f1788c00ccfe7",
        f"light/{published}-00000-of-00001.parquet",
    )
    for split, published in _LABELLED
}
MMLU_TRAIN = _hub(
    "mmlu/auxiliary_train-00000-of-00001.parquet",
    "cais/mmlu",
    "c30699e8356da336a370243923dbaf21066bb9fe",
    "all/auxiliary_train-00000-of-00001.parquet",
)
SCIQ_TRAIN = _hub(
    "sciq/train-00000-of-00001.parquet",
    "allenai/sciq",
    "2c94ad3e1aafab77146f384e23536f97a4849815",
    "data/train-00000-of-00001.parquet",
    "19644360954006d06e9ad3df07bddb34f8535c081b831d48f604603c713ac167",
)
ARC: Mapping[Split, Source] = {
    split: _hub(
        f"arc_challenge/{split}.parquet",
        "allenai/ai2_arc",
        "210d026faf9955653af8916fad021475a3f00453",
        f"ARC-Challenge/{split}-00000-of-00001.parquet",
    )
    for split in _SPLITS
}
SUPERGLUE_TASKS = {"boolq": "boolq", "copa": "copa", "wic": "wic", "wsc": "wsc.fixed"}
"""The tasks asked of SuperGLUE, and what the hub calls them."""

SUPERGLUE: Mapping[tuple[str, Split], Source] = {
    (task, split): _hub(
        f"superglue/{task}_{published}.parquet",
        "aps/super_glue",
        "3de24cf8022e94f4ee4b9d55a6f539891524d646",
        f"{folder}/{published}-00000-of-00001.parquet",
    )
    for task, folder in SUPERGLUE_TASKS.items()
    for split, published in _LABELLED
}
WNLI: Mapping[Split, Source] = {
    split: _hub(
        f"wnli/{published}.parquet",
        "nyu-mll/glue",
        "bcdcba79d07bc864c1c254ccfcedcce55bcc9a8c",
        f"wnli/{published}-00000-of-00001.parquet",
    )
    for split, published in _LABELLED
}

ROWS: Mapping[Source, Source] = {
    POPQA: Source(  # 2,000 of the 14,267 questions
        "qa/popqa_subset.json",
        "",
        "5f6cc194178b8cc4af39412aa051c1a5613d35bd1f5eae02a4aecb847735d089",
    ),
    SIMPLEQA: Source(
        "qa/simple_qa_test_set.csv",
        "",
        "55205e3219cf9810761da75cf7fc3512936e8457dc0e3b39d2027496a1a72a54",
    ),
    AMBIGNQ["test"]: Source(  # as it is in the authors' archive
        "qa/ambigqa_dev_light.json",
        "",
        "425c259bd6b28a2ea35894b9cea0192a3117c32bdcf6e5549ef66b31218eeb28",
    ),
    ARC["test"]: Source(
        "qa/arc_challenge_test.jsonl",
        "",
        "9fa8ffb3e3a1f88cb302d53dd95aae81e39209ad9bcf974376b319d8fd35717c",
    ),
    SUPERGLUE["boolq", "test"]: Source(
        "qa/boolq_validation.jsonl",
        "",
        "21acbfbd1e7908fddd9e626bc2a6101c5a5430bda3fbf74985b979af7a63b989",
    ),
    SUPERGLUE["copa", "test"]: Source(
        "qa/COPA_val.jsonl",
        "",
        "fa61467cc251010178ed72f8ca82a0fceefc4ca9a85f87ec3b6102955e1a1f1a",
    ),
    SUPERGLUE["wic", "test"]: Source(
        "qa/WiC_val.jsonl",
        "",
        "7a954e2f2ffbe3df194decc00619bb9b81e4d1c29e7c31e9201fa541041bef78",
    ),
    SUPERGLUE["wsc", "test"]: Source(
        "qa/WSC_val.jsonl",
        "",
        "2ff72c0dc2e8cdd4104fee56b7be1bc4c15180452b98601a077807635e7b794e",
    ),
    MMLU: MMLU_ROWS,
}
"""The same rows in another form; read instead where somebody has put them into the cache folder."""


def file_of(source: Source) -> Path:
    """The source's rows where they lie in the cache folder, or the file as published.

    Raises:
        DataUnavailable: The file could not be downloaded.
    """
    rows = cached(ROWS[source]) if source in ROWS else None
    return rows or fetch(source, instead=INSTEAD)


def version_of(source: Source) -> str:
    """What tells the file that is read from other versions of it."""
    if source in ROWS and cached(ROWS[source]):
        source = ROWS[source]
    return source.sha256 or source.url
