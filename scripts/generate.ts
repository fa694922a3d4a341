// Writes every generated file of the source, or checks them with `--check`.
import './generate-guards';
import './generate-page';
