"""Seeded faults that the tests must find: each is one wrong line in a copy of the package.

`make mutants` puts each fault into a copy, runs the tests of its room, and expects a failure. Names
of faults as arguments run these alone: `python tests/mutants.py holm_not_monotone`.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "inspect_confidence"


@dataclass(frozen=True)
class Mutant:
    """A fault.

    Attributes:
        name: What goes wrong.
        file: File in the package.
        before: Text that stands once in the file.
        after: Text that replaces it.
        tests: Files and folders of the tests that must fail.
    """

    name: str
    file: str
    before: str
    after: str
    tests: Sequence[str]

    def apply(self, package: Path) -> None:
        """Write the fault into a copy of the package.

        Raises:
            ValueError: The text does not stand exactly once in the file.
        """
        path = package / self.file
        path.write_text(self.mutated(path.read_text("utf-8")), "utf-8")

    def mutated(self, text: str) -> str:
        """Return a file's text with the fault.

        Raises:
            ValueError: The text to replace does not stand exactly once.
        """
        if (count := text.count(self.before)) != 1:
            raise ValueError(f"{self.name}: {self.before!r} stands {count} times in {self.file}.")
        return text.replace(self.before, self.after)


METRICS = (
    Mutant(
        "bin_edge_without_tolerance",
        "metrics/calibration.py",
        "np.minimum(np.floor(share * bins + EDGE), last)",
        "np.minimum(np.floor(share * bins), last)",
        ["tests/metrics/test_calibration.py", "tests/metrics/test_edges.py"],
    ),
    Mutant(
        "last_bin_open",
        "metrics/calibration.py",
        'last = bins if binning == "own_top" else bins - 1',
        "last = bins",
        ["tests/metrics/test_calibration.py"],
    ),
    Mutant(
        "missing_outcome_counts_as_wrong",
        "metrics/tables.py",
        "present = ~(np.isnan(confidences) | np.isnan(outcomes))",
        "outcomes = np.nan_to_num(outcomes); present = ~np.isnan(confidences)",
        ["tests/metrics/test_tables.py", "tests/metrics/test_calibration.py"],
    ),
    Mutant(
        "equal_mass_bins_split_ties",
        "metrics/calibration.py",
        "middle = np.cumsum(mass, axis=1) - mass / 2",
        "middle = np.cumsum(mass, axis=1) - mass",
        ["tests/metrics/test_calibration.py"],
    ),
    Mutant(
        "auroc_ties_count_in_full",
        "metrics/discrimination.py",
        "below = tables.missed - tables.wrong / 2",
        "below = tables.missed",
        ["tests/metrics/test_discrimination.py"],
    ),
    Mutant(
        "wilson_at_all_judgments",
        "metrics/resample.py",
        "effective = np.minimum(independent / np.where(varies, variance, 1), judgments)",
        "effective = judgments",
        ["tests/metrics/test_resample.py"],
    ),
    Mutant(
        "percentile_is_interpolated",
        "metrics/resample.py",
        "low, high = (array[max(rank, 1) - 1] for rank in ranks)",
        "low, high = np.quantile(array, [tail, 1 - tail])",
        ["tests/metrics/test_resample.py", "tests/metrics/test_edges.py"],
    ),
    Mutant(
        "holm_not_monotone",
        "metrics/resample.py",
        "np.minimum(np.maximum.accumulate(scaled), 1)",
        "np.minimum(scaled, 1)",
        ["tests/metrics/test_resample.py"],
    ),
    Mutant(
        "conformal_rank_off_by_one",
        "metrics/conformal.py",
        "return -(-(n + 1) * share.numerator // share.denominator)",
        "return -(-n * share.numerator // share.denominator)",
        ["tests/metrics/test_conformal.py"],
    ),
    Mutant(
        "interval_score_halves_alpha",
        "metrics/intervals.py",
        "(high - low) + 2 / alpha * (below + above)",
        "(high - low) + 2 / (alpha / 2) * (below + above)",
        ["tests/metrics/test_intervals.py"],
    ),
    Mutant(
        "m_ratio_at_low_d_prime",
        "metrics/meta_d.py",
        "divide_or_nan(meta, np.where(d_prime > LEAST_D_PRIME, d_prime, 0))",
        "divide_or_nan(meta, d_prime)",
        ["tests/metrics/test_meta_d.py"],
    ),
    Mutant(
        "rogan_gladen_outside_the_unit_interval",
        "metrics/judge_error.py",
        "float(np.clip((observed + true_negative - 1) / youden, 0, 1))",
        "(observed + true_negative - 1) / youden",
        ["tests/metrics/test_judge_error.py"],
    ),
    Mutant(
        "judge_interval_without_error_of_labels",
        "metrics/judge_error.py",
        "rates = self.drawn_rates(len(verdict_shares), seed)",
        "rates = np.broadcast_to(self.rates, (len(verdict_shares), *self.rates.shape))",
        ["tests/metrics/test_judge_error.py", "tests/studies/test_judge_labels.py"],
    ),
    Mutant(
        "tables_are_pooled_in_one_isotonic_fit",
        "metrics/corp.py",
        "offsets = 2.0 * np.nonzero(present)[0]",
        "offsets = 0.0 * np.nonzero(present)[0]",
        ("tests/metrics/test_corp.py",),
    ),
    Mutant(
        "mean_loss_without_score_interval",
        "metrics/inference.py",
        'if rule.method == "score":',
        'if rule.method == "none":',
        ("tests/metrics/test_inference.py",),
    ),
    Mutant(
        "isotonic_curve_falls",
        "metrics/corp.py",
        "np.fmax(fitted[start:], lowest_means, out=fitted[start:])",
        "fitted[start:] = lowest_means",
        ["tests/metrics/test_corp.py"],
    ),
    Mutant(
        "smooth_ece_at_a_fixed_bandwidth",
        "metrics/calibration.py",
        "_LARGEST_EXCESS, _MOST_STEPS = 1e-10, 50",
        "_LARGEST_EXCESS, _MOST_STEPS = 1e-10, 1",
        ["tests/metrics/test_calibration.py", "tests/metrics/test_calibration_errors.py"],
    ),
    Mutant(
        "kl_divergence_without_smoothing",
        "metrics/words.py",
        "_divergence(np.where(p == 0, constant, p), np.where(q == 0, constant, q))",
        "_divergence(p, q)",
        ["tests/metrics/test_words.py"],
    ),
    Mutant(
        "p_disagrees_with_its_interval",
        "metrics/inference.py",
        "return max(2 * float(stdtr(freedom, ndtri(share_beyond) / widening)), smallest_p)",
        "return max(float(stdtr(freedom, ndtri(share_beyond) / widening)), smallest_p)",
        ["tests/metrics/test_inference.py"],
    ),
    Mutant(
        "partial_credit_counts_as_a_chance",
        "metrics/calibration.py",
        "divide_or_nan(loss - tables.credit_spread, tables.mass.sum(axis=1))",
        "divide_or_nan(loss, tables.mass.sum(axis=1))",
        ["tests/metrics/test_calibration.py", "tests/metrics/test_corp.py"],
    ),
)

STUDIES = (
    Mutant(
        "judgments_are_resampled_instead_of_items",
        "studies/estimate.py",
        "return np.asarray(units.get_indexer(pd.Index(unit_names(rows))), np.int64)",
        "return np.arange(len(rows)) % max(len(units), 1)",
        ["tests/studies/test_scale_numbers.py", "tests/studies/test_scale_intervals.py"],
    ),
    Mutant(
        "declared_clusters_are_ignored",
        "studies/estimate.py",
        'return rows["unit"] if "unit" in rows else cluster_names(rows)',
        'return rows["unit"] if "unit" in rows else rows["item"]',
        ["tests/test_clusters.py"],
    ),
    Mutant(
        "difference_turned_round",
        "studies/compare.py",
        "difference = first - second",
        "difference = second - first",
        ["tests/test_compare.py"],
    ),
    Mutant(
        "bias_of_a_side_narrows_the_difference",
        "studies/compare.py",
        "below = add(first - first_ends[0], second_ends[1] - second)",
        "below = first - first_ends[0]",
        ["tests/test_compare.py", "tests/studies/test_scale_tests.py"],
    ),
    Mutant(
        "accuracy_of_judgments_without_confidence_is_lost",
        "studies/compare.py",
        'side[(side["status"] == "ok") & side["correct"].notna()] for side in (first, second)',
        'side[side["correct"].notna()] for side in (first, second)',
        ["tests/test_compare.py", "tests/studies"],
    ),
    Mutant(
        "clip_within_a_tenth_of_the_scale",
        "studies/stated.py",
        "is_outside = excess * 20 > width",
        "is_outside = excess * 10 > width",
        ["tests/studies", "tests/metrics/test_reports.py"],
    ),
    Mutant(
        "out_of_range_counts_as_confidence",
        "studies/stated.py",
        'rows["confidence"] = np.where(derived & ~is_outside, share, confidence)',
        'rows["confidence"] = np.where(derived, share, confidence)',
        ["tests/studies", "tests/test_judgments.py"],
    ),
    Mutant(
        "asked_is_written_as_n",
        "studies/estimate.py",
        "asked=estimate.n_asked,",
        "asked=estimate.n,",
        ["tests/studies/test_scale_numbers.py"],
    ),
    Mutant(
        "variants_are_pooled",
        "studies/estimate.py",
        'columns: Sequence[str] = ("model", "dataset", "variant")',
        'columns: Sequence[str] = ("model", "dataset")',
        ["tests/studies", "tests/test_judgments.py"],
    ),
    Mutant(
        "mean_over_data_sets_of_a_p",
        "studies/estimate.py",
        "if metric in excluded_metrics or is_p_value:",
        "if metric in excluded_metrics:",
        ["tests/studies/test_all_sets.py", "tests/studies"],
    ),
    Mutant(
        "mic_with_sentences_of_two_markers",
        "studies/hedge_markers/judgments.py",
        'return readable if convention == "authors" else readable[readable["n_markers"] <= 1]',
        "return readable",
        ["tests/studies/test_hedge_study.py"],
    ),
    Mutant(
        "train_items_in_test_numbers",
        "studies/fermi_eval/numbers.py",
        'test = intervals[intervals["split"] == "test"]',
        "test = intervals",
        ["tests/studies/test_fermi_methods.py", "tests/test_fermi_eval_run.py"],
    ),
    Mutant(
        "twins_of_a_context_count_twice",
        "studies/wep_probes/words.py",
        "means = (100 * setting_means.groupby(level=by).mean()).round(9)",
        "means = (100 * setting_means.groupby(level=by).last()).round(9)",
        ["tests/studies/test_wep_words.py"],
    ),
    Mutant(
        "declined_answers_are_wrong",
        "studies/stated.py",
        'rows["status"].isin(ANSWER_STATUSES), np.nan, rows["correct"].to_numpy(float)',
        'rows["status"].isin(ANSWER_STATUSES), 0, rows["correct"].to_numpy(float)',
        ["tests/any_eval", "tests/test_any_eval_files.py", "tests/studies/test_any_eval.py"],
    ),
    Mutant(
        "declined_answers_are_unread",
        "studies/notes.py",
        "return statuses.isin(READ_STATUSES | REPLY_STATUSES).to_numpy(bool)",
        "return statuses.isin(READ_STATUSES - {'declined'} | REPLY_STATUSES).to_numpy(bool)",
        ["tests/any_eval", "tests/studies", "tests/test_unread.py"],
    ),
    Mutant(
        "notes_do_not_count_what_is_left_out",
        "studies/notes.py",
        'return f"{sum(excluded.values())} of {judgments} left out: {reasons}"',
        'return ""',
        ["tests/studies/test_scale_numbers.py"],
    ),
)

JUDGMENTS = (
    Mutant(
        "oldest_log_wins",
        "judgments/joining.py",
        "key=lambda i: (-runs[i].ended, -runs[i].write_time)",
        "key=lambda i: (runs[i].ended, runs[i].write_time)",
        ["tests/test_judgments.py", "tests/faults"],
    ),
    Mutant(
        "a_retried_sample_counts_twice",
        "judgments/joining.py",
        "judgments[position] = run.frame[pd.Series(run.samples, dtype=object).isin(samples)]",
        "judgments[position] = run.frame",
        ["tests/test_judgments.py", "tests/test_store.py"],
    ),
    Mutant(
        "an_invalid_sample_counts",
        "judgments/logs.py",
        "if header.invalidated:",
        "if False:",
        ["tests/test_judgments.py", "tests/faults"],
    ),
    Mutant(
        "edited_scores_are_not_told",
        "judgments/rewriting.py",
        'count += bool(score.get("history"))',
        "count += 0",
        ["tests/test_judgments.py", "tests/faults"],
    ),
    Mutant(
        "rows_keep_the_order_of_the_files",
        "judgments/order.py",
        "if (np.diff(rank) >= 0).all():",
        "if True:",
        ["tests/faults/test_order.py"],
    ),
    Mutant(
        "values_outside_their_limits_pass",
        "judgments/checks.py",
        "broken = filled[~limit.holds(values.iloc[filled])]",
        "broken = filled[:0]",
        ["tests/faults/test_users_tables.py", "tests/test_any_eval_files.py"],
    ),
    Mutant(
        "an_interrupted_record_file_is_read",
        "judgments/store.py",
        'return file.stem.endswith(f"-{checksum}")',
        "return True",
        ["tests/test_store.py", "tests/faults/test_disk.py"],
    ),
)

ANSWERS = (
    Mutant(
        "the_first_of_two_answers_wins",
        "answers/reading.py",
        'return ambiguous("several different answers")',
        "return reading",
        ["tests/answers"],
    ),
    Mutant(
        "a_cut_off_answer_is_read",
        "answers/reading.py",
        "if truncated and (is_begun or is_thinking or isinstance(answer, ParseFailure)):",
        "if truncated and isinstance(answer, ParseFailure):",
        ["tests/answers"],
    ),
    Mutant(
        "a_cut_off_number_is_read",
        "answers/scale.py",
        'if follows == "cut":',
        'if follows == "never":',
        ["tests/answers"],
    ),
    Mutant(
        "a_percentage_on_another_scale_is_read",
        "answers/scale.py",
        "if high not in (1, 100):",
        "if high is None:",
        ["tests/answers"],
    ),
    Mutant(
        "a_range_is_a_confidence",
        "answers/scale.py",
        'if follows in ("range", "bound")',
        'if follows == "bound"',
        ["tests/answers"],
    ),
    Mutant(
        "a_range_is_a_probability",
        "answers/probability.py",
        'if follows in ("range", "bound"):',
        'if follows == "bound":',
        ["tests/answers"],
    ),
    Mutant(
        "a_number_in_a_refusal_is_read",
        "answers/reading.py",
        "is_refused = declines(parsed.text)",
        "is_refused = not parsed.text",
        ["tests/answers"],
    ),
    Mutant(
        "a_letter_wins_over_another_text",
        "answers/choices.py",
        "if text_indices:\n            return ambiguous(_LETTER_AND_TEXT_DIFFER)",
        "if text_indices:\n            return index",
        ["tests/answers"],
    ),
    Mutant(
        "a_thousand_is_one",
        "answers/numbers.py",
        'return Fraction(digits.replace(",", ""))',
        'return Fraction(digits.split(",")[0])',
        ["tests/answers"],
    ),
    Mutant(
        "the_second_key_of_an_object_is_lost",
        "answers/json_members.py",
        "for name, value in parsed:",
        "for name, value in parsed[:1]:",
        ["tests/answers"],
    ),
    Mutant(
        "the_placeholder_of_the_prompt_is_an_answer",
        "answers/reading.py",
        "return is_empty and isinstance(reading, ParseFailure)",
        "return False",
        ["tests/answers"],
    ),
)

ELICITATION = (
    Mutant(
        "draws_share_one_number",
        "solvers/draws.py",
        '"draw": draw, **elicitation',
        '"draw": 0, **elicitation',
        ["tests/contract"],
    ),
    Mutant(
        "the_system_message_is_dropped",
        "solvers/draws.py",
        "return [ChatMessageSystem(content=system), message] if system else [message]",
        "return [message]",
        ["tests/contract", "tests/test_scale_variants_task.py"],
    ),
    Mutant(
        "missing_choices_are_not_asked_for_again",
        "solvers/draws.py",
        "missing += chunk[len(outputs) :]",
        "missing += []",
        ["tests/contract", "tests/faults/test_calls.py", "tests/test_fermi_eval_run.py"],
    ),
    Mutant(
        "tools_are_offered_again",
        "solvers/draws.py",
        'return await generate(state, tool_calls="none", response_schema=response_schema)',
        "return await generate(state, response_schema=response_schema)",
        ["tests/contract", "tests/faults/test_calls.py", "tests/faults/test_bounded_calls.py"],
    ),
    Mutant(
        "the_model_judges_itself",
        "judges/model.py",
        "or get_model(role=ROLE)",
        "or get_model()",
        ["tests/test_hedge_markers_judges.py", "tests/faults/test_judge.py"],
    ),
)

EDGES = (
    Mutant(
        "named_secrets_are_exported",
        "redaction.py",
        'text = _NAMED_SECRET.sub(rf"\\g<1>{REMOVED}", text)\n    return _USER.sub("~", text)',
        'return _USER.sub("~", text)',
        ["tests/test_redaction.py"],
    ),
    Mutant(
        "home_folders_are_exported",
        "redaction.py",
        'return _USER.sub("~", text)',
        "return text",
        ["tests/test_redaction.py"],
    ),
    Mutant(
        "control_characters_reach_the_terminal",
        "printing.py",
        'return text if _plain(text) else "".join(map(_visible_form, text))',
        "return text",
        ["tests/test_printing.py", "tests/test_terminal.py"],
    ),
    Mutant(
        "a_failed_write_loses_the_old_file",
        "writing.py",
        'temporary = file.with_name(f"{file.name[:_NAME_LENGTH]}.{uuid4().hex}.new")',
        "temporary = file",
        ["tests/test_writing.py", "tests/faults/test_writes.py"],
    ),
    Mutant(
        "a_target_metric_is_better_if_lower",
        "export/every_eval_ever.py",
        '"lower_is_better": metric.direction == "lower"',
        '"lower_is_better": metric.direction != "higher"',
        ["tests/export"],
    ),
)

MUTANTS = (*METRICS, *STUDIES, *JUDGMENTS, *ANSWERS, *ELICITATION, *EDGES)


def fails(mutant: Mutant) -> bool:
    """Return whether the tests of its room fail with the fault.

    Raises:
        RuntimeError: The tests could not be run.
    """
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "inspect_confidence"
        shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
        mutant.apply(package)
        paths = [folder, str(ROOT / "tests")]
        completed = subprocess.run(  # our own command
            [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow", *mutant.tests],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            capture_output=True,
            check=False,
        )
        if completed.returncode not in (0, 1):  # no test ran
            raise RuntimeError(completed.stdout.decode("utf-8", "replace")[-2_000:])
        return completed.returncode == 1


def main(names: Sequence[str]) -> int:
    """Run the named faults, or all; return the number of faults that no test finds."""
    chosen = [mutant for mutant in MUTANTS if mutant.name in names or not names]
    missed = 0
    for mutant in chosen:
        is_found = fails(mutant)
        missed += not is_found
        sys.stdout.write(f"{'found' if is_found else 'MISSED'}  {mutant.name}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{len(chosen) - missed} of {len(chosen)} faults are found\n")
    return missed


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
