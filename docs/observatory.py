"""Writes docs/observatory: a report and a leaderboard of real models, from recorded answers.

    PYTHONPATH=tests python docs/observatory.py [FOLDER]

No model is called. The answers are read from FOLDER (../shared/data, if it is there) where it has
them, and else from their authors' repositories, at pinned commits. Each answer stays where it is:
pages hold numbers over many.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

import pandas as pd

from inspect_confidence import read_judgments, write_report
from inspect_confidence.datasets.cache import Source, fetch
from inspect_confidence.errors import DataUnavailable
from inspect_confidence.export import export
from inspect_confidence.judgments.read import Judgments, judgments_of
from inspect_confidence.studies import Recorded
from studies.recorded import FILES, recorded_ages, recorded_options, recorded_statements

HERE = Path(__file__).parent
RESAMPLES = 2_000


@dataclass(frozen=True)
class Repository:
    """Where answers come from; `address` is of its files, at a commit."""

    name: str
    licence: str
    commit: str
    said: str

    @property
    def address(self) -> str:
        """What a file's path is put behind."""
        return f"https://raw.githubusercontent.com/{self.name}/{self.commit}/"

    @property
    def notice(self) -> str:
        """Its source and licence, for the page."""
        return f"{self.said}: github.com/{self.name} at {self.commit[:7]}; {self.licence}."


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
"""Failures after which the network counts as not there."""


@dataclass
class Answers:
    """Recorded answers, of a folder and of the network; `missing` could be had of neither."""

    folder: Path
    missing: list[str]

    def file(self, where: Repository, path: str, here: str = "") -> Path | None:
        """The file in the folder, or else the published one."""
        if here and (self.folder / here).is_file():
            return self.folder / here
        if len(self.missing) >= _ENOUGH:
            self.missing.append(path)
            return None
        try:
            source = Source(f"observatory/{where.name}/{path}", where.address + quote(path))
            return fetch(source, alternative="a folder that has it")
        except DataUnavailable:
            self.missing.append(path)
            return None

    def atlas(self) -> Iterator[pd.DataFrame]:
        """Verbalised confidence in answers to MMLU."""
        names = [f"metacognitive_profile_results{one}.csv" for one in OF_THE_ATLAS]
        found = [self.file(ATLAS, f"data/raw/{name}", f"atlas/{name}") for name in names]
        columns = {"item": "item_id", "correct": "is_correct"}
        paths = [one for one in found if one]
        if paths:
            read = read_judgments(paths, recorded=Recorded(scale=(0, 100), columns=columns))
            yield from (frame.assign(dataset="mmlu") for frame in read.values())

    def lives(self) -> Iterator[pd.DataFrame]:
        """Ages at death."""
        yield from self._of_lives("life_eval", "life_eval", recorded_ages)

    def sets(self) -> Iterator[pd.DataFrame]:
        """The question sets."""
        for ours, file in FILES.items():
            items = self.file(
                LIVES,
                f"Formatted Benchmarks/{file}_formatted.csv",
                f"question_sets/items/{file}.csv",
            )
            if items:
                read = partial(recorded_options, items=items, dataset=ours)
                yield from self._of_lives("question_sets", file, read)

    def _of_lives(
        self, folder: str, file: str, read: Callable[[Path], pd.DataFrame]
    ) -> Iterator[pd.DataFrame]:
        """Answers of the models of one file in the folder, then those of all others."""
        together = self.folder / folder / "answers" / f"{file}.csv"
        known: set[str] = set()
        if together.is_file():
            frame = read(together)
            known = set(frame["model"])
            yield frame
        for family, models in OF_LIVES.items():
            for model in models:
                if model in known:
                    continue
                path = self.file(LIVES, f"Parsed Results/{family}/{model}/{file}_{model}.csv")
                if path:
                    named = path.with_suffix(".named.csv")
                    pd.read_csv(path, dtype=str, keep_default_na=False).assign(model=model).to_csv(
                        named, index=False
                    )
                    yield read(named)

    def words(self) -> Iterator[pd.DataFrame]:
        """Probabilities of words, in concise contexts."""
        for model, (language, published, here) in OF_WORDS.items():
            local = f"wep/{here}.csv" if here else ""
            path = self.file(WORDS, f"Data/Results - {published}.csv", local)
            if path:
                yield recorded_statements(path, model=model, language=language)


def main(folder: Path, target: Path) -> None:
    """Read the answers, write the pages, say what could not be had."""
    answers = Answers(folder, [])
    parts = [*answers.atlas(), *answers.lives(), *answers.sets(), *answers.words()]
    frames = {
        str(task): pd.concat([one for one in parts if one["task"].iloc[0] == task])
        for task in dict.fromkeys(one["task"].iloc[0] for one in parts)
    }
    notices = [one.notice for one in (ATLAS, LIVES, WORDS)]
    if answers.missing:
        notices.append(f"{len(answers.missing)} published files could not be had here.")
    judgments = Judgments(judgments_of(frames), notices)
    models = {name for frame in frames.values() for name in frame["model"]}
    print(f"{len(models)} models; {len(answers.missing)} files could not be had")  # noqa: T201
    page = write_report(judgments, target, resamples=RESAMPLES, workers=2)
    export(judgments, "leaderboard", target, resamples=RESAMPLES)
    print(page, target / "leaderboard.html", sep="\n")  # noqa: T201


if __name__ == "__main__":
    beside = HERE.parents[1] / "shared" / "data"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else beside, HERE / "observatory")
