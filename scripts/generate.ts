// Writes every generated file of the source, or checks them with `--check`.
import './generate-controls';
import './generate-guards';
import './generate-page';
