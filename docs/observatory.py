"""Write docs/observatory: a report and a leaderboard of real models, from recorded answers.

    PYTHONPATH=tests python docs/observatory.py [FOLDER]

No model is called. Answers are read from FOLDER (../shared/data by default) if it has them,
otherwise from their authors' repositories at pinned commits. The pages contain statistics only.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import PercentFormatter

from inspect_confidence import detail, read_judgments, write_report
from inspect_confidence.datasets.cache import Source, fetch
from inspect_confidence.errors import DataUnavailable
from inspect_confidence.export import export
from inspect_confidence.judgments.read import Judgments, judgments_of
from inspect_confidence.plots.style import SERIES, style
from inspect_confidence.results import Condition
from inspect_confidence.studies import Recorded
from studies.recorded import FILES, recorded_ages, recorded_options, recorded_statements

HERE = Path(__file__).parent
RESAMPLES = 2_000
PICTURE = HERE / "images" / "reliability.svg"
PICTURED = {
    "anthropic/claude-opus-4-5@20251101": "claude-opus-4.5",
    "anthropic/claude-haiku-4-5@20251001": "claude-haiku-4.5",
    "openai/gpt-oss-20b": "gpt-oss-20b",
}
"""Models of the README's picture, with their labels."""
PICTURED_BIN = 30
"""Least number of judgments in a bin that the picture shows."""


@dataclass(frozen=True)
class Repository:
    """A repository with recorded answers, at a commit."""

    name: str
    licence: str
    commit: str
    description: str

    @property
    def address(self) -> str:
        """Prefix of the addresses of its files."""
        return f"https://raw.githubusercontent.com/{self.name}/{self.commit}/"

    @property
    def notice(self) -> str:
        """Source and licence, for the page."""
        return f"{self.description}: github.com/{self.name} at {self.commit[:7]}; {self.licence}."


ATLAS = Repository(
    "synthiumjp/metacognitive-profile-atlas",
    "data CC BY 4.0",
    "ca3118061d1e1811cae2358cbee68056133985b3",
    "Answers to MMLU with verbalised confidence, of the Metacognitive Profile Atlas",
)
LIVES = Repository(
    "NoamMichael/Comparing-Confidence-in-LLMs",
    "MIT",
    "560aae77b190dfb58ce6c0ec3e658fc03d65a45d",
    "Answers to LifeEval and question sets, of Comparing Confidence in LLMs",
)
WORDS = Repository(
    "jasontangzs0/Estimative-Uncertainty",
    "no licence is stated, only numbers over its answers are shown",
    "701bb96",
    "Probabilities of words, of the study of estimative uncertainty",
)

OF_THE_ATLAS = ["", *(f" ({k})" for k in range(1, 34) if k != 18)]
OF_LIVES = {
    "Claude": ("claude-3-7-sonnet-20250219", "claude-3-haiku-20240307", "claude-sonnet-4-20250514"),
    "Deepseek": ("deepseek-r1", "deepseek-v3"),
    "GPT": ("gpt-4o", "o3-2025-04-16"),
    "Gemini": ("gemini-2.5-flash", "gemini-2.5-pro"),
    "Llama": ("Meta-Llama-3.1-70B-Instruct", "Meta-Llama-3.1-8B-Instruct"),
}
OF_WORDS = {
    "gpt-4": ("en", "short_context_gpt-4", "cnc_gpt-4"),
    "gpt-3.5-turbo": ("en", "short_context_gpt-3.5-turbo", ""),
}
"""Language, the published file and the one in the folder, by model."""


_ENOUGH = 3
"""Failures after which no more downloads are tried."""


@dataclass
class Answers:
    """Recorded answers from a folder and the network.

    Attributes:
        folder: The folder that is read first.
        missing: Files that neither has.
    """

    folder: Path
    missing: list[str]

    def file(self, repository: Repository, path: str, local: str = "") -> Path | None:
        """Return the file in the folder, otherwise the published one; None if neither exists."""
        if local and (self.folder / local).is_file():
            return self.folder / local
        if len(self.missing) >= _ENOUGH:
            self.missing.append(path)
            return None
        try:
            source = Source(
                f"observatory/{repository.name}/{path}", repository.address + quote(path)
            )
            return fetch(source, alternative="a folder that has it")
        except DataUnavailable:
            self.missing.append(path)
            return None

    def atlas(self) -> Iterator[pd.DataFrame]:
        """Read verbalised confidence in answers to MMLU."""
        names = [f"metacognitive_profile_results{suffix}.csv" for suffix in OF_THE_ATLAS]
        files = [self.file(ATLAS, f"data/raw/{name}", f"atlas/{name}") for name in names]
        columns = {"item": "item_id", "correct": "is_correct"}
        paths = [path for path in files if path]
        if paths:
            read = read_judgments(paths, recorded=Recorded(scale=(0, 100), columns=columns))
            yield from (frame.assign(dataset="mmlu") for frame in read.values())

    def lives(self) -> Iterator[pd.DataFrame]:
        """Read ages at death."""
        yield from self._of_lives("life_eval", "life_eval", recorded_ages)

    def sets(self) -> Iterator[pd.DataFrame]:
        """Read answers to the question sets."""
        for dataset, file in FILES.items():
            items = self.file(
                LIVES,
                f"Formatted Benchmarks/{file}_formatted.csv",
                f"question_sets/items/{file}.csv",
            )
            if items:
                read = partial(recorded_options, items=items, dataset=dataset)
                yield from self._of_lives("question_sets", file, read)

    def _of_lives(
        self, folder: str, file: str, read: Callable[[Path], pd.DataFrame]
    ) -> Iterator[pd.DataFrame]:
        """Read the models in the folder's file, then all other models."""
        joint_file = self.folder / folder / "answers" / f"{file}.csv"
        models_read: set[str] = set()
        if joint_file.is_file():
            frame = read(joint_file)
            models_read = set(frame["model"])
            yield frame
        for family, models in OF_LIVES.items():
            for model in models:
                if model in models_read:
                    continue
                path = self.file(LIVES, f"Parsed Results/{family}/{model}/{file}_{model}.csv")
                if path:
                    path_with_model = path.with_suffix(".named.csv")
                    pd.read_csv(path, dtype=str, keep_default_na=False).assign(model=model).to_csv(
                        path_with_model, index=False
                    )
                    yield read(path_with_model)

    def words(self) -> Iterator[pd.DataFrame]:
        """Read probabilities of words, in concise contexts."""
        for model, (language, published, local_name) in OF_WORDS.items():
            local = f"wep/{local_name}.csv" if local_name else ""
            path = self.file(WORDS, f"Data/Results - {published}.csv", local)
            if path:
                yield recorded_statements(path, model=model, language=language)


def draw_picture(judgments: Judgments) -> None:
    """Draw the README's picture, accuracy against stated confidence, and print its numbers."""
    rows = judgments["any_eval"]
    bins = detail({"any_eval": rows[rows["model"].isin(list(PICTURED))]})
    bins = bins[
        (bins["n"] >= PICTURED_BIN) & bins["metric"].isin(["bin_accuracy", "bin_confidence"])
    ]
    bins = bins.assign(bin=[Condition.read(text)["bin"] for text in bins["condition"]])
    with style():
        figure, ax = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
        ax.plot([0.5, 1], [0.5, 1], color="grey", linestyle="--", linewidth=1)
        ax.annotate("as often right as it says", (0.52, 0.545), color="grey", rotation=33)
        for color, (model, label) in zip(SERIES, PICTURED.items(), strict=False):
            of_model = bins[bins["model"] == model]
            points = of_model[of_model["metric"] == "bin_accuracy"].set_index("bin")
            x = of_model[of_model["metric"] == "bin_confidence"].set_index("bin")["value"]
            x = x.loc[points.index]
            bars = [points["value"] - points["ci_low"], points["ci_high"] - points["value"]]
            ax.errorbar(x, points["value"], bars, color=color, marker="o", capsize=3, label=label)
            print(label, points.assign(x=x)[["x", "value", "ci_low", "ci_high", "n"]], sep="\n")  # noqa: T201
        ax.set(xlabel="stated confidence", ylabel="share of right answers", title="MMLU")
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        ax.legend(loc="lower right")
        figure.savefig(PICTURE, metadata={"Date": None})


def main(folder: Path, target: Path) -> None:
    """Read the answers, write the pages and report missing files."""
    answers = Answers(folder, [])
    parts = [*answers.atlas(), *answers.lives(), *answers.sets(), *answers.words()]
    frames = {
        str(task): pd.concat([part for part in parts if part["task"].iloc[0] == task])
        for task in dict.fromkeys(part["task"].iloc[0] for part in parts)
    }
    notices = [repository.notice for repository in (ATLAS, LIVES, WORDS)]
    if answers.missing:
        notices.append(f"{len(answers.missing)} published files could not be downloaded.")
    judgments = Judgments(judgments_of(frames), notices)
    models = {name for frame in frames.values() for name in frame["model"]}
    print(f"{len(models)} models shown; {len(answers.missing)} files could not be downloaded")  # noqa: T201
    draw_picture(judgments)
    page = write_report(judgments, target, resamples=RESAMPLES, workers=2)
    export(judgments, "leaderboard", target, resamples=RESAMPLES)
    print(page, target / "leaderboard.html", sep="\n")  # noqa: T201


if __name__ == "__main__":
    default_folder = HERE.parents[1] / "shared" / "data"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default_folder, HERE / "observatory")
